/** @file Compares a landing with what the table expects. */
import { parseSync } from "oxc-parser";
import type { Landing, Landings } from "../../../src/format/index.ts";
import { landStatements } from "../../../src/landing/index.ts";
import type { PropagationCase } from "./read-cases.ts";

export interface Judgement {
  /** What is not as the table expects; empty: all is right. */
  readonly faults: readonly string[];
  /** Whether every statement is where it should be, and refused where it cannot be. */
  readonly right: boolean;
  /** Whether a statement landed in a wrong place with the verdict `exact`. */
  readonly wrongExact: boolean;
  /** Whether a statement that cannot land did. */
  readonly landedImpossible: boolean;
}

export function judge(row: PropagationCase): Judgement {
  const answer = landStatements({
    now: { file: row.file, text: (file) => row.now.get(file) },
    statements: row.statements,
    then: { files: [...row.then.keys()], text: (file) => row.then.get(file) },
  });
  const verdicts = answer.landings.map(({ verdict }) => verdict);
  const accepted = verdicts.every((verdict, i) => row.verdicts[i]?.includes(verdict));
  const impossible = row.verdicts.map((wanted) => wanted.join() === "cannot");
  const landedImpossible = impossible.some((no, i) => no && verdicts[i] !== "cannot");
  const places = placeFaults(row, answer);
  const faults = [
    ...(accepted ? [] : [`verdicts ${verdicts.join("; ")}: ${reasons(answer.landings)}`]),
    ...places,
    ...detailFaults(row, answer.landings),
  ];
  const right = places.length === 0 && !landedImpossible && !refused(row, answer.landings);
  return { faults, right, landedImpossible, wrongExact: !right && verdicts.includes("exact") };
}

/** Whether something that can land was refused. */
function refused(row: PropagationCase, landings: readonly Landing[]): boolean {
  return landings.some(
    ({ verdict }, i) => verdict === "cannot" && !row.verdicts[i]?.includes("cannot"),
  );
}

/** Files that differ from the expected ones in code; with `bytes: yes` in any byte. */
function placeFaults(row: PropagationCase, { overlays }: Landings): string[] {
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  const faults: string[] = [];
  for (const [file, expected] of row.expected) {
    const text = changed.get(file) ?? row.then.get(file) ?? "";
    // The lines of Python are its code.
    const same =
      row.headers["bytes"] === "yes" || file.endsWith(".py")
        ? text === expected
        : code(file, text) === code(file, expected);
    if (!same) faults.push(`${file} became\n${text}`);
  }
  return faults;
}

/** The text without spaces, comments and semicolons: what decides between which tokens a place is. */
function code(file: string, text: string): string {
  const { comments, errors } = parseSync(file, text);
  if (errors.length > 0) return `does not parse: ${text}`;
  let bare = "";
  let from = 0;
  for (const { start, end } of comments) {
    bare += text.slice(from, start);
    from = end;
  }
  return (bare + text.slice(from)).replaceAll(/[\s;]+/g, "");
}

function detailFaults({ headers }: PropagationCase, landings: readonly Landing[]): string[] {
  const faults: string[] = [];
  const { renames, carried, refusal, says, warns } = headers;
  const all = <T>(pick: (landing: Landing) => readonly T[]): T[] => landings.flatMap(pick);
  const gotRenames = all((landing) => landing.renames.map(({ from, to }) => `${from} -> ${to}`));
  if (renames !== undefined && renames !== gotRenames.join(", ")) {
    faults.push(`renames ${gotRenames.join(", ")}`);
  }
  const gotCarried = all((landing) => landing.carried.map(({ kind, name }) => `${kind} ${name}`));
  if (carried !== undefined && sorted(carried.split(", ")) !== sorted(gotCarried)) {
    faults.push(`carried ${gotCarried.join(", ")}`);
  }
  if (refusal !== undefined && !landings.some((landing) => landing.refusal === refusal)) {
    faults.push(`refusals ${landings.map((landing) => landing.refusal).join(", ")}`);
  }
  const said = all(({ reason, warnings }) => [reason, ...warnings.map(({ text }) => text)]);
  if (says !== undefined && !said.join("\n").includes(says)) faults.push(`says ${said.join("; ")}`);
  if (warns !== undefined && all(({ warnings }) => warnings).length === 0) {
    faults.push("warns of nothing");
  }
  return faults;
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join(", ");
}

function reasons(landings: readonly Landing[]): string {
  return landings.map(({ reason }) => reason).join("; ");
}
