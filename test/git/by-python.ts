/** @file Versions that Python keeps by itself, for programs that nothing but Python has started. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import { PACKAGES } from "../support/python.ts";
import type { Sandbox } from "./sandbox.ts";
import { treeOf } from "./sandbox.ts";

const PROGRAM = `
import json, sys
from afterlog.store.version import commit_tree, keep_tree
root, store, run = sys.argv[1:]
print(json.dumps(commit_tree(keep_tree(root, store), run, 1794735000.0)))
`;

/** Python keeps the same of a project as the engine, which has kept `version` of it. */
export function expectSameByPython(
  sandbox: Sandbox,
  root: string,
  { version, gitDir }: { readonly version: VersionReference; readonly gitDir: string },
): void {
  const words = ["-c", PROGRAM, root, join(root, ".afterlog"), "by-python"];
  const env = { ...process.env, PYTHONPATH: PACKAGES, AFTERLOG_MODE: "off" };
  const said = execFileSync("python3", words, { encoding: "utf8", env });
  const own = JSON.parse(said) as VersionReference;
  const { commit, ref } = own;
  expect(own).toEqual({ ...version, commit, ref });
  expect(ref).toBe("refs/afterlog/runs/by-python");
  expect(treeOf(sandbox, ref, gitDir)).toEqual(treeOf(sandbox, version.ref, gitDir));
}
