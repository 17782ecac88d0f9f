/**
 * The hunt: programs by chance in both languages, asked by edits of several statements, by one to
 * four processes, killed and continued, of one version and of two. No mark promises too much, nothing
 * is called different that is not, and most is answered. `AFTERLOG_HUNT_EDIT=part` draws only the
 * edits whose kind has that in it.
 */
import { describe, expect, test } from "vitest";
import { count, DRAW_SEED } from "../support/draws.ts";
import { needs } from "../support/needs.ts";
import type { Program } from "./compose.ts";
import { compose } from "./compose.ts";
import { DRAWN_EDITS, EDITS } from "./edits.ts";
import type { Hunting, Verdict } from "./judge.ts";
import { hunt, textOf } from "./judge.ts";
import { summarized } from "./summary.ts";

const EACH = count(5, { long: 150 });
const ONLY = process.env["AFTERLOG_HUNT_EDIT"];
const TABLE = ONLY === undefined ? DRAWN_EDITS : EDITS.filter(({ kind }) => kind.includes(ONLY));

const PROGRAMS = (["python", "typescript"] as const).flatMap((language) =>
  Array.from({ length: EACH }, (_, at) => ({ language, seed: (DRAW_SEED - 1) * 1000 + at })),
);

/** Of every five programs one has its replay killed, and one its recording. */
function huntingOf({ seed, edits }: Program): Hunting {
  const half = Math.ceil(edits.length / 2);
  const kills = ["plan", "progress", "cell"] as const;
  const questions = [edits.slice(0, half), edits.slice(half)].map((asked, at) => ({
    edits: asked,
    workers: 1 + ((seed + at) % 4),
    killAt: seed % 5 === 2 && at === 0 ? kills[seed % 3] : undefined,
  }));
  const killAtCheckpoint = seed % 5 === 4 ? 1 + (seed % 17) : undefined;
  return { questions: questions.filter((one) => one.edits.length > 0), killAtCheckpoint };
}

describe("the hunt", needs("python"), () => {
  const verdicts: Verdict[] = [];

  test.each(PROGRAMS)("$language, seed $seed", { timeout: 600_000 }, async (drawn) => {
    const program = compose(drawn.seed, drawn.language, TABLE);
    const verdict = await hunt(program, huntingOf(program));
    verdicts.push(verdict);
    const findings = verdict.findings.map(({ fault, what }) => `${fault}: ${what}`);
    const text = textOf(program.render(program.versions - 1, program.edits));
    expect(findings, findings.length > 0 ? text : "").toEqual([]);
  });

  test("most is answered, and promised", () => {
    const { quiet, all, refused, lines } = summarized(verdicts);
    const said = lines.join("\n");
    if (process.env["AFTERLOG_HUNT_SAY"] !== undefined) console.log(said);
    if (ONLY !== undefined) return;
    expect(quiet, said).toBeGreaterThanOrEqual(0.95);
    expect(all, said).toBeGreaterThanOrEqual(0.8);
    expect(refused, said).toBeLessThanOrEqual(0.05);
  });
});
