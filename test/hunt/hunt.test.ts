/**
 * The hunt: programs by chance in both languages, asked by edits of several statements, by one to
 * four processes, killed and continued, of one version and of two. No mark promises too much, nothing
 * is called different that is not, and most is answered. `AFTERLOG_HUNT_EDIT=part` draws only the
 * edits whose kind has that in it.
 */
import { describe, expect, test } from "vitest";
import { count, DRAW_SEED, IS_LONG } from "../support/draws.ts";
import { needs } from "../support/needs.ts";
import { editsOf, hunt } from "./hunt.ts";
import type { Verdict } from "./judge.ts";
import { summarized } from "./summary.ts";

const EACH = count(30, { long: 150 });
const ONLY = process.env["AFTERLOG_HUNT_EDIT"];
const TABLE = editsOf(ONLY);

const PROGRAMS = (["python", "typescript"] as const).flatMap((language) =>
  Array.from({ length: EACH }, (_, at) => ({ language, seed: (DRAW_SEED - 1) * 1000 + at })),
);

describe("the hunt", needs("python"), () => {
  const verdicts: Verdict[] = [];

  test.each(PROGRAMS)("$language, seed $seed", { timeout: 600_000 }, async (drawn) => {
    const verdict = await hunt(drawn.seed, drawn.language, { table: TABLE, isQuick: !IS_LONG });
    verdicts.push(verdict);
    const findings = verdict.findings.map(({ fault, what }) => `${fault}: ${what}`);
    expect(findings, verdict.text).toEqual([]);
  });

  test("most is answered, and promised", () => {
    const { quiet, all, refused, restoring, lines } = summarized(verdicts);
    const said = lines.join("\n");
    if (process.env["AFTERLOG_HUNT_SAY"] !== undefined) console.log(said);
    if (ONLY !== undefined) return;
    expect(quiet, said).toBeGreaterThanOrEqual(0.95);
    expect(all, said).toBeGreaterThanOrEqual(0.8);
    expect(refused, said).toBeLessThanOrEqual(0.05);
    // What executes everything finds no wrong restore.
    expect(restoring, said).toBeGreaterThanOrEqual(0.35);
  });
});
