/** @file A version per run leaves git as it was, in every state that a repository can be in. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import { excludeStore, recordVersion } from "../../src/store/index.ts";
import { some } from "../support/draws.ts";
import { expectSameByPython } from "./by-python.ts";
import { SETUP_STATES } from "./setup-states.ts";
import { fingerprint, Sandbox, treeOf, workingTree } from "./sandbox.ts";
import { WORKING_STATES } from "./working-states.ts";

const STARTED = new Date("2026-11-15T09:30:00Z");

beforeEach(() => {
  vi.stubEnv("HOME", "/nonexistent");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function record(root: string, run = "train-20261115-093000-x7q2"): VersionReference {
  return recordVersion({ root, store: join(root, ".afterlog"), run, started: STARTED });
}

const rows = [...WORKING_STATES, ...SETUP_STATES];
const byPython = new Set(some(rows, { every: 4 }));

describe("a version leaves git as it was and holds the working tree", () => {
  test.each(rows)("$name", (row) => {
    using sandbox = new Sandbox();
    row.arrange(sandbox);
    const workTree = row.workTree?.(sandbox) ?? sandbox.repo;
    const root = join(workTree, row.folder ?? ".");
    excludeStore(root, join(root, ".afterlog"));
    const expected = workingTree(sandbox, workTree);
    const before = fingerprint(sandbox, workTree);

    const version = record(root);

    expect(fingerprint(sandbox, workTree)).toBe(before);
    const gitDir = sandbox.gitIn(workTree, "rev-parse", "--absolute-git-dir").trim();
    const tree = treeOf(sandbox, version.ref, gitDir);
    const compared = new Map(tree);
    for (const path of row.except ?? []) {
      compared.delete(path);
      expected.delete(path);
    }
    for (const [path, entry] of tree) if (entry.startsWith("160000")) compared.delete(path);
    expect(sorted(compared)).toEqual(sorted(expected));
    expect(version.warnings).toEqual(
      (row.warnings ?? []).map((text) => expect.stringMatching(text)),
    );
    expect(sandbox.gitIn(workTree, "rev-parse", version.ref).trim()).toBe(version.commit);
    expect(
      readdirSync(join(root, ".afterlog")).filter((name) => /^version-.{6}$/.test(name)),
    ).toEqual([]);
    row.check?.(version, sandbox, tree);
    if (!row.isTwin && !byPython.has(row)) return;
    expectSameByPython(sandbox, root, { version, gitDir });
    expect(fingerprint(sandbox, workTree)).toBe(before);
  });
});

function sorted(entries: Map<string, string>): [string, string][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
