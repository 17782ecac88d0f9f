/** Who may go on with a run that another process has, or had, a claim on. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../../format/index.ts";
import { manifestToJson } from "../../format/index.ts";
import { claimRun } from "./claim-run.ts";
import { hostFacts } from "../host-facts.ts";

class Run implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "claim-"));
  readonly claim = join(this.folder, "claim");

  constructor(more: Partial<Manifest> = {}) {
    const manifest = { format: 1, run: "r", status: "interrupted", host: hostFacts(), ...more };
    writeFileSync(join(this.folder, "run.json"), manifestToJson(manifest as Manifest));
  }

  /** What the claim holds while the run is taken over; afterwards there is none. */
  take(resumed = 0): Manifest["host"] {
    let held = "";
    claimRun(this.folder, resumed, (manifest) => {
      held = readFileSync(this.claim, "utf8");
      return manifest;
    });
    return JSON.parse(held) as Manifest["host"];
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

const gone = spawnSync(process.execPath, ["-e", ""]).pid;

describe("a claim", () => {
  test.each<[string, string | undefined]>([
    ["there is none", undefined],
    ["an empty one, as a power cut leaves it", ""],
    ["half of one", JSON.stringify(hostFacts()).slice(0, 20)],
    ["one of zeros", "\0".repeat(200)],
    ["nothing in it", "null"],
    ["written by an earlier release", '["host",1,"1"]'],
    ["of a process that is gone", JSON.stringify({ ...hostFacts(), pid: gone })],
    ["of another process of that number", JSON.stringify({ ...hostFacts(), pidStart: "1" })],
    ["of before the last boot", JSON.stringify({ ...hostFacts(), bootId: "other" })],
  ])("%s: the run goes on", (_, content) => {
    using run = new Run();
    if (content !== undefined) writeFileSync(run.claim, content);
    expect(run.take()).toEqual(hostFacts());
    expect(readdirSync(run.folder)).toEqual(["run.json"]);
  });

  test.each<[string, Partial<Manifest["host"]>]>([
    ["a living process", {}],
    ["another machine, of which nobody can tell", { name: "elsewhere", pid: gone }],
  ])("of %s: the run is taken, and the claim is named", (_, host) => {
    using run = new Run();
    const content = JSON.stringify({ ...hostFacts(), ...host });
    writeFileSync(run.claim, content);
    expect(() => run.take()).toThrow(
      `another process resumes it; if none does, remove ${run.claim}`,
    );
    expect(readFileSync(run.claim, "utf8")).toBe(content);
    expect(readdirSync(run.folder).toSorted()).toEqual(["claim", "run.json"]);
  });
});

test.each<[string, Partial<Manifest>]>([
  ["somebody records it", { status: "recording" }],
  ["somebody has gone on with it", { resumed: ["2026-11-15T10:00:00Z"] }],
])("%s: the run is taken, and no claim stays", (_, manifest) => {
  using run = new Run(manifest);
  expect(() => run.take()).toThrow(/^another process resumes it$/);
  expect(existsSync(run.claim)).toBe(false);
});

test("what else goes wrong is told as it is", () => {
  using run = new Run();
  expect(() => claimRun(join(run.folder, "none"), 0, (manifest) => manifest)).toThrow("ENOENT");
});
