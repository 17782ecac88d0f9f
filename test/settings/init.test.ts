/** `afterlog init`: what it writes says the defaults, and what is there stays. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../src/app/settings.ts";
import { SETTINGS } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";

const settingsOf = ({ folder, store }: TestProject): ReturnType<typeof readSettings> =>
  readSettings({ cwd: folder, env: {} }, { root: folder, store });

test("the file says every setting with its default, and changes none", async () => {
  using project = new TestProject();
  const { code, stdout, stderr } = await project.afterlog("init");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const inFile = SETTINGS.filter(({ inFile }) => inFile);
  expect(stdout).toContain(`afterlog.toml: ${inFile.length} settings`);
  const bare = settingsOf(project);
  expect(bare.problems).toEqual([]);
  expect(Object.values(bare.settings).every(({ origin }) => origin.kind === "default")).toBe(true);

  const file = join(project.folder, "afterlog.toml");
  const text = readFileSync(file, "utf8");
  project.write("afterlog.toml", text.replaceAll(/^#(?=\w)/gm, ""));
  const { settings, problems } = settingsOf(project);
  expect(problems).toEqual([]);
  for (const { key, default: value } of inFile) {
    expect(settings[key].origin.kind, key).toBe("file");
    if (value !== null) expect(settings[key].value, key).toEqual(bare.settings[key].value);
  }
});

test("git does not see the store, and nothing that is there is changed", async () => {
  using project = TestProject.apart({ git: true });
  const exclude = join(project.folder, ".git/info/exclude");
  project.write("sub/train.py", "");
  const first = await project.afterlog("init");
  expect(first.stdout).toContain(".afterlog/, where runs will be, is kept out of git by .git/info");
  expect(readFileSync(exclude, "utf8")).toMatch(/^\.afterlog\/$/m);
  const status = (): string =>
    execFileSync("git", ["status", "--short", "-uall"], { cwd: project.folder, encoding: "utf8" });
  expect(status()).toContain("?? afterlog.toml");
  expect(existsSync(project.store)).toBe(false);

  project.write("afterlog.toml", "[record]\nkeep = 'all'\n");
  const before = readFileSync(exclude);
  const { code, stdout } = await project.afterlog("-C", "sub", "init");
  expect(code).toBe(0);
  expect(stdout).toContain("· ../afterlog.toml is there already, and left as it is");
  expect(stdout).toContain("afterlog run train.py");
  expect(readFileSync(exclude)).toEqual(before);
  expect(settingsOf(project).settings["record.keep"].value).toBe("all");
});

test("a link of that name is not written through", async () => {
  using project = new TestProject();
  symlinkSync("elsewhere.toml", join(project.folder, "afterlog.toml"));
  const { stdout } = await project.afterlog("init", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ written: false, exclude: null, root: project.folder });
  expect(existsSync(join(project.folder, "elsewhere.toml"))).toBe(false);
});
