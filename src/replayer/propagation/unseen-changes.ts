/**
 * @file What a question may change of the run and no checkpoint would show: the run's own loops leave it
 * alone, so that it is captured nowhere. Nothing can be compared then.
 */
import type { SourceModel } from "../../languages/index.ts";
import { analyzeProgram, withoutCarriedMarkers } from "../../languages/index.ts";
import type { AskedStatement } from "./asked-statements.ts";
import type { RecordedVersion } from "./place.ts";
import type { ReadText } from "./version-texts.ts";

/** The statements, those that may change such a thing with the reason why nobody can be sure. */
export function withUnseenChanges(
  statements: readonly AskedStatement[],
  { program, mode, before }: RecordedVersion,
  text: ReadText,
): readonly AskedStatement[] {
  if (statements.every(({ planned }) => planned.mayChange === undefined)) return statements;
  const ran = analyzeProgram(program, before, mode);
  const edited: ReadText = (file) => {
    const own = text(file);
    return own === undefined ? undefined : withoutCarriedMarkers(own);
  };
  // As if the run had had the question in it: then its loops change what the question does.
  const asked = analyzeProgram(program, edited, mode);
  return statements.map((one) => {
    const { planned } = one;
    if (planned.mayChange === undefined) return one;
    const unseen = planned.loops.flatMap((loop) => {
      const known = new Set(changedIn(ran, loop));
      return changedIn(asked, loop).filter((name) => !known.has(name) && isOfRun(name, before));
    });
    const [first] = unseen;
    if (first === undefined) return one;
    const [file, name] = splitName(first);
    const why = `\`${planned.mayChange}\` may change ${name} (${file}), which no checkpoint holds`;
    return { ...one, planned: { ...planned, unsure: [...(planned.unsure ?? []), why] } };
  });
}

/** Variables that the loops of a name may change, as `file name`. */
function changedIn({ loops }: SourceModel, loop: string): string[] {
  const own = loops.filter(({ name }) => name === loop);
  return own.flatMap(({ changes }) => {
    return changes.map(({ key, name }) => `${key.split(":")[0]} ${name}`);
  });
}

function splitName(text: string): [file: string, name: string] {
  const at = text.lastIndexOf(" ");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Whether the run's own text has the name: what only the question has is no part of the run. */
function isOfRun(text: string, before: ReadText): boolean {
  const [file, name] = splitName(text);
  return new RegExp(`(?<![\\w$])${name.replaceAll(/\W/g, "\\$&")}(?![\\w$])`).test(
    before(file) ?? "",
  );
}
