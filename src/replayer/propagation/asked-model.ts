/** @file The model of a run's source with a question in it: the run's own loops, with its log calls in them. */
import type { ProbePlace, SourcePlace, Varying } from "../../format/index.ts";
import type { CarriedValue, CountedValue, SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram } from "../../languages/index.ts";
import type { RecordedVersion } from "./place.ts";
import type { ReadText } from "./version-texts.ts";

/** The parts of a question, and what outlives them, or may. */
export interface AskedParts {
  readonly probes: readonly ProbePlace[];
  /** Names and properties that other parts use. */
  readonly state: readonly string[];
  /** Those that begin anew in a part of a file. */
  readonly gathered: readonly GatheredWithin[];
  /** Those that count iterations. */
  readonly counters: readonly AskedCounter[];
  /** Properties that nothing of the run has: that a checkpoint lacks them is no difference. */
  readonly fields: readonly string[];
  /** Variables of the run that it no longer sets, as `Varying` has them: nothing reads them. */
  readonly unset: readonly string[];
  /** Statements that may change the run. */
  readonly changing: readonly string[];
}

/** From the first character of a loop or function to its last. */
export interface GatheredWithin {
  readonly name: string;
  readonly file: string;
  readonly from: Place;
  readonly to: Place;
}

/** A number that only counts. */
export interface AskedCounter extends Pick<CountedValue, "name" | "key" | "start" | "step"> {
  readonly file: string;
  /** Where the loops begin from where it begins to where it counts, outermost first. */
  readonly loops: readonly Place[];
  /** What begins it anew; undefined: it begins once. */
  readonly within: GatheredWithin | undefined;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const NOTHING_VARIES: Varying = { logs: [], places: [], fields: [] };

/** The model of the text that ran, with the log calls of a question in the loops that it knows. */
export function modelWithLogs(
  { program, mode, before }: RecordedVersion,
  text: ReadText,
  { state, gathered, counters, fields, unset, changing, probes }: AskedParts,
  placeBefore: (file: string, line: number, column: number) => Place | undefined,
): SourceModel {
  const ran = analyzeProgram(program, before, mode);
  const asked = analyzeProgram(program, text, { ...mode, probes });
  const ids = asked.loops.map(({ file, line, column }) => {
    const place = placeBefore(file, line, column);
    return ran.loops.findIndex((loop) => {
      return loop.file === file && loop.line === place?.line && loop.column === place.column;
    });
  });
  const known = (chain: readonly number[]): number[] =>
    chain.map((id) => ids[id] ?? -1).filter((id) => id >= 0);
  // A loop that is none of the run has no number: then nothing is counted.
  const loopsAt = ({ file, loops }: Pick<AskedCounter, "file" | "loops">): number[] =>
    loops.map(({ line, column }) => {
      const at = asked.loops.findIndex((loop) => {
        return loop.file === file && loop.line === line && loop.column === column;
      });
      return ids[at] ?? -1;
    });
  const logs = asked.logs.map((log): SourceLog => {
    const { changes, ...others } = log;
    // What a part changes of the run is set back, or found by comparing the state behind it.
    const own = changes === undefined ? log : others;
    const loopOf = (id: number): SourcePlace | undefined =>
      (ids[id] ?? -1) >= 0 ? asked.loops[id] : undefined;
    const carried = carriedTo(log, state, gathered, loopOf);
    const carries = carried ? { carries: carried } : {};
    const counted = counters.flatMap(({ key, start, step, ...one }): CountedValue[] => {
      const [names, within] = one.within ? [[], [one.within]] : [[one.name], []];
      const value = carriedTo(log, names, within, loopOf);
      return value ? [{ ...value, key, start, step, loops: loopsAt(one) }] : [];
    });
    const counts = counted.length > 0 ? { counts: counted } : {};
    const [first = changes === undefined ? undefined : log.text] = changing;
    const mayChange = first === undefined ? {} : { mayChange: first };
    return {
      ...own,
      ...carries,
      ...counts,
      ...mayChange,
      chain: known(log.chain),
      before: known(log.before),
    };
  });
  // A file that was not edited may have given the run what is new to the edited one.
  const files = fields.length > 0 ? ran.files : [];
  const members = new Set(files.flatMap((file) => membersIn(before(file) ?? "")));
  const onlyAsked = fields.filter((name) => !members.has(name));
  const withFields = (varying: Varying | undefined): Varying | undefined => {
    if (onlyAsked.length + unset.length === 0) return varying;
    const { fields: others, places, ...rest } = varying ?? NOTHING_VARIES;
    return { ...rest, places: [...places, ...unset], fields: [...others, ...onlyAsked] };
  };
  const varying = withFields(asked.varying);
  const varyingFresh = asked.varyingFresh && withFields(asked.varyingFresh);
  return {
    ...ran,
    logs,
    ...(varying ? { varying } : {}),
    ...(varyingFresh ? { varyingFresh } : {}),
  };
}

/** What is gathered on the way to a log call: since the start, or since the fewest loops have begun it anew. */
function carriedTo(
  log: SourceLog,
  [first]: readonly string[],
  gathered: readonly GatheredWithin[],
  loopOf: (id: number) => SourcePlace | undefined,
): CarriedValue | undefined {
  if (first !== undefined) return { name: first, depth: 0 };
  const around = gathered.filter((one) => isWithin(log, one));
  const values = around.map((one): CarriedValue => {
    const loops = log.chain.flatMap((id) => loopOf(id) ?? []);
    return { name: one.name, depth: loops.filter((loop) => !isWithin(loop, one)).length };
  });
  return values.toSorted((a, b) => a.depth - b.depth)[0];
}

/** Behind the beginning of the part: what begins with it is not within. */
function isWithin(place: SourcePlace, { file, from, to }: GatheredWithin): boolean {
  return place.file === file && isAfter(place, from) && isAfter(to, place);
}

function isAfter(one: Place, other: Place): boolean {
  return one.line > other.line || (one.line === other.line && one.column > other.column);
}

/** Words that are members of something, or may be declared as such in a class. */
function membersIn(text: string): string[] {
  const found = text.matchAll(
    /\.(#?[\p{L}_$][\p{L}\p{N}_$]*)|^[ \t]+(?:static )?(#?[\p{L}_$][\p{L}\p{N}_$]*)\s*[:;(]/gmu,
  );
  return [...found].flatMap(([, read, declared]) => read ?? declared ?? []);
}
