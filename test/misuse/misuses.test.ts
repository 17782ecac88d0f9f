/** @file Each misuse is answered in the way that its row says, and harms nothing. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { FILES, LINKS, MISUSES } from "./misuses.ts";

let project: TestProject;
beforeAll(async () => {
  project = new TestProject(FILES);
  await project.afterlog("run", "train.ts");
  assert.equal(project.runs.length, 1);
  const elsewhere = `${project.folder}-elsewhere.py`;
  writeFileSync(elsewhere, "print(1)\n");
  for (const [name, to] of Object.entries(LINKS)) {
    symlinkSync(to.replace("../ELSEWHERE", elsewhere), join(project.folder, name));
  }
});
afterAll(() => {
  rmSync(`${project.folder}-elsewhere.py`);
  project[Symbol.dispose]();
});

test.each(MISUSES)("$what: $argv", needs("python"), async (row) => {
  const before = filesOf(project);
  const { code, stdout, stderr } = await project.afterlogWith(row.env ?? {}, ...row.argv);
  const said = stdout + stderr;
  for (const words of row.says) expect(said).toMatch(words);
  expect({ code, said }).toEqual({ code: row.code, said });
  expect(said).not.toMatch(/native|internal error/i);
  const after = filesOf(project);
  for (const [path, content] of before) expect([path, after.get(path)]).toEqual([path, content]);
  const made = [...after.keys()].filter((path) => !before.has(path));
  const runs = new Set(made.flatMap((path) => /^\.afterlog\/runs\/([^/]+)/.exec(path)?.[1] ?? []));
  expect(runs.size).toBe(row.runs ?? 0);
  const files = made.filter((path) => !path.startsWith(".afterlog/"));
  expect(files).toEqual(row.files ?? []);
  for (const path of files) rmSync(join(project.folder, path));
});

/** What lies in a project, but for what is derived and for what grows with each command. */
function filesOf({ folder }: TestProject): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !/^node_modules|^\.afterlog\/(?!runs\/)/.test(path),
  );
  return new Map(
    paths.flatMap((path) => contentOf(join(folder, path)).map((text) => [path, text])),
  );
}

function contentOf(path: string): string[] {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return [readlinkSync(path)];
  return found.isFile() ? [createHash("sha256").update(readFileSync(path)).digest("hex")] : [];
}
