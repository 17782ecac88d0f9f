/**
 * @file What a run executed of files of which a replay executes more: the loops of the run, what they
 * change and what they are called were found in it, and are told by where they stand now.
 */
import type { RecordedText, SourcePlace } from "../../../format/index.ts";
import type { AnalyzedProgram, ProgramCallSite } from "../analyze.ts";
import { Lines } from "../../lines.ts";
import { callSitesOf } from "../nondeterminism/call-sites.ts";

/** The program as it was analysed, with places of the texts of now. */
export function withPlacesNow(
  program: AnalyzedProgram,
  recorded: readonly RecordedText[],
  textNow: (file: string) => string,
): AnalyzedProgram {
  if (recorded.length === 0) return program;
  const { model, callSites } = program;
  const placed = <T extends SourcePlace>(one: T): T => {
    const text = recorded.find(({ file }) => file === one.file);
    return text ? { ...one, ...placeNow(text, one) } : one;
  };
  const { loops, leftAlone } = model;
  const sites = recorded.map((one) => {
    const { file } = one;
    return [file, sitesNow(one, callSites.get(file) ?? [], textNow(file))] as const;
  });
  return {
    ...program,
    model: {
      ...model,
      loops: loops.map(placed),
      ...(leftAlone ? { leftAlone: leftAlone.map(placed) } : {}),
    },
    callSites: new Map([...callSites, ...sites]),
  };
}

type Place = Pick<SourcePlace, "line" | "column">;

function placeNow({ moved }: RecordedText, { line, column }: Place): Place {
  const last = moved.findLast(([from, at]) => from < line || (from === line && at <= column));
  const [, , lines, columns] = last ?? [0, 0, 0, 0];
  return { line: line + lines, column: column + columns };
}

/** Where the calls of the run stand; if one is not found, none is known. */
function sitesNow(
  recorded: RecordedText,
  then: readonly ProgramCallSite[],
  text: string,
): ProgramCallSite[] {
  const [linesThen, lines] = [new Lines(recorded.text), new Lines(text)];
  const own = new Map(
    then.map((site) => {
      const { line, column } = placeNow(recorded, linesThen.at(site.start));
      return [lines.startOf(line) + column - 1, site];
    }),
  );
  const now = callSitesOf(recorded.file, text);
  const found = now.filter(({ start, path }) => own.get(start)?.path === path);
  return now.map((site) => {
    const old = found.length === then.length ? own.get(site.start) : undefined;
    return { ...site, isAdded: old === undefined, isConcurrent: old?.isConcurrent ?? false };
  });
}
