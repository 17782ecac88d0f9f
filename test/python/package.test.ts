/**
 * The package as users get it: installed by pip into an environment without any network, found by
 * `afterlog run` in the ways that people expect, and asked for its frame.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN, TestProject } from "../support/project.ts";
import { everyInterpreter } from "../support/interpreters.ts";
import { INTERPRETERS, PACKAGES } from "../support/python.ts";

const command = INTERPRETERS[0] ?? "python3";

const PROGRAM = `
import afterlog as al

lr = al.arg("lr", 0.1)
state = al.checkpointing(w=[0.0])
for epoch in al.loop("epoch", range(2)):
    state.w[0] += lr
    al.log("loss", state.w[0])
al.log("none", float("nan"))
`;

const FRAME = `
import afterlog as al
rows = al.frame("lr", "loss", grain="epoch")
assert [(row["epoch"], row["loss"]) for row in rows] == [(0, 0.01), (1, 0.02)], rows
assert al.frame("none")[0]["none"] != al.frame("none")[0]["none"]
for names in ((), ("los",)):
    try:
        al.frame(*names)
    except al.AfterlogError as error:
        print(error.code, error.help[0])
*_, row = al.frame("loss", "checkpoint")
state = al.restore(row)
assert (state["w"], state.exact) == ([row["loss"]], True), (row, state)
assert al.restore({"run": row["run"], "epoch": 0})["w"] == [0.01]
`;

const top = mkdtempSync(join(tmpdir(), "afterlog-package-"));
const venv = join(top, "venv");
const bin = (name: string): string => join(venv, "bin", name);

function run(file: string, ...argv: string[]): string {
  const { PYTHONPATH: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(file, argv, { cwd: top, env, encoding: "utf8" });
  expect({ argv, status, stderr: status === 0 ? "" : stderr + stdout }).toMatchObject({
    status: 0,
  });
  return stdout;
}

/** The package's own modules and data, as they must be installed. */
function modules(folder: string, around = folder): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "__pycache__" ? [] : modules(path, around);
    return /\.(?:py|json|skeleton)$/.test(entry.name) ? [relative(around, path)] : [];
  });
}

describe("installed by pip", () => {
  const source = join(top, "python");
  const own = modules(join(PACKAGES, "afterlog")).map((file) => join("afterlog", file));

  beforeAll(() => {
    run(command, "-m", "venv", venv);
    for (const name of ["afterlog", "pyproject.toml", "build_backend.py"]) {
      cpSync(join(PACKAGES, name), join(source, name), { recursive: true });
    }
    run(bin("pip"), "install", "--quiet", "--no-index", source);
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  test("a program records with it, and afterlog run takes the active environment", async () => {
    using project = new TestProject({ "train.py": PROGRAM, "frame.py": FRAME });
    const env = { PYTHONPATH: "", VIRTUAL_ENV: venv, AFTERLOG_CLI: `${process.execPath}\n${MAIN}` };
    const plain = { command: bin("python") };
    const all = { ...env, AFTERLOG_OVERHEAD: "inf" };
    const { code, stderr } = await project.start(["train.py", "lr=0.01"], all, plain).finished;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(project.manifest).toMatchObject({ status: "done", interpreter: bin("python") });
    const framed = await project.start(["frame.py"], env, plain).finished;
    expect(framed).toMatchObject({ code: 0, stdout: expect.stringContaining("AL021 ") as unknown });
    expect(framed.stdout).toContain("AL061 ");
    await project.start([MAIN, "run", "train.py", "lr=0.02"], env).finished;
    expect(project.manifest).toMatchObject({ status: "done", interpreter: bin("python3") });
    // Which is another one than the first on the PATH; and one that is named comes before it.
    await project.start([MAIN, "run", "--python", command, "train.py"], env).finished;
    expect(project.manifest.interpreter).toBe(command);
  });

  test("it consists of its modules and data, nothing of the building is left", () => {
    const files = run(bin("pip"), "show", "-f", "afterlog").split("Files:\n")[1] ?? "";
    const listed = files.split("\n").map((line) => line.trim());
    const installed = listed.filter((line) => /^afterlog\/.*\.(?:py|json|skeleton)$/.test(line));
    expect(new Set(installed)).toEqual(new Set(own));
    expect(readdirSync(source).toSorted()).toEqual(
      expect.arrayContaining(["afterlog", "build_backend.py", "pyproject.toml"]),
    );
    expect(existsSync(join(source, "build"))).toBe(false);
    const sdist = "import build_backend as b, tarfile; name = b.build_sdist('..'); ".concat(
      "print(chr(10).join(tarfile.open('../' + name).getnames()))",
    );
    const built = run("/bin/sh", "-c", `cd python && ${bin("python")} -c "${sdist}"`);
    const names = built
      .trim()
      .split("\n")
      .map((name) => name.split("/").slice(1).join("/"));
    expect(new Set(names)).toEqual(new Set(["build_backend.py", "pyproject.toml", ...own]));
  });

  test("it goes without a trace", () => {
    const site = run(bin("python"), "-c", "import sysconfig as s; print(s.get_paths()['purelib'])");
    run(bin("pip"), "uninstall", "--quiet", "-y", "afterlog");
    expect(readdirSync(site.trim()).filter((name) => name.startsWith("afterlog"))).toEqual([]);
  });
});

describe("an interpreter that cannot be used is said before anything is recorded", () => {
  const { old } = everyInterpreter();
  const rows: [string, RegExp][] = [
    ["/nonexistent/python3", /cannot be started, or is no Python\n {2}help: name one/],
    ["true", /error\[AL007\]: true cannot be started, or is no Python/],
    ...old.slice(0, 1).map((each): [string, RegExp] => [each, /is Python 3\.\d\n.*3\.9 and later/]),
  ];
  test("by --python, and without any on the PATH", async () => {
    using project = new TestProject({ "train.py": PROGRAM });
    for (const [python, said] of rows) {
      const { code, stderr } = await project.afterlog("run", "--python", python, "train.py");
      expect({ python, code }).toEqual({ python, code: 1 });
      expect(stderr).toMatch(said);
    }
    const folder = mkdtempSync(join(tmpdir(), "afterlog-path-"));
    symlinkSync(process.execPath, join(folder, "node"));
    const env = { PATH: folder, VIRTUAL_ENV: "", CONDA_PREFIX: "" };
    const { code, stderr } = await project.start([MAIN, "run", "train.py"], env).finished;
    rmSync(folder, { recursive: true });
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toContain("error[AL007]: python3 cannot be started");
    expect(existsSync(join(project.folder, ".afterlog/runs"))).toBe(false);
  });
});
