/**
 * @file What a run logged where a replay came by. A run may have millions of lines, of which a
 * replay passes a few: lines are told apart by their text, and only those that are wanted parsed.
 */
import type { ExitRecord, LogRecord } from "../../format/index.ts";
import { formatPath, pathElement } from "../../format/index.ts";
import { runPaths } from "../../store/index.ts";
import type { RecordedValues } from "../checking/check-replay.ts";
import { valueKey } from "../checking/check-replay.ts";
import type { Line } from "./raw-log.ts";
import { parseLine, readTexts } from "./raw-log.ts";

interface Kept {
  readonly seq: number;
  readonly value: unknown;
}

/** Reads from the asked run what there is at the paths and names of `replayed`. */
export function readRecordedValues(runFolder: string, replayed: readonly Line[]): RecordedValues {
  const values = new Map<string, Kept[]>();
  for (const line of replayed) if (line.k === "log") values.set(keyOf(line), []);
  const iterations = new Map<string, Kept>();
  const names = new Set<string>();
  for (const text of readTexts(runPaths.log(runFolder))) {
    if (text.startsWith('{"k":"log"')) {
      const { key, name } = keyFromText(text);
      names.add(name);
      const kept = values.get(key);
      if (kept) kept.push(...takeLogged(text));
    } else if (text.startsWith('{"k":"exit"')) {
      const exit = parseLine(text) as ExitRecord | undefined;
      if (exit) iterations.set(endOf(exit), { seq: exit.seq, value: exit.iterations });
    } else if (text.startsWith('{"k":"rewind"')) {
      rewindValues(Number(parseLine(text)?.["seq"]), values, iterations);
    }
  }
  return {
    values: mapValues(values, (kept) => (kept.length > 0 ? kept.map(({ value }) => value) : null)),
    iterations: mapValues(iterations, ({ value }) => value as number),
    names,
  };
}

/**
 * `"path":[…],"name":"…","site":` stands in every line in this order. Inside a name a quote has a
 * backslash before it, so that nothing in it can look like this.
 */
function keyFromText(text: string): { key: string; name: string } {
  const path = text.indexOf('"path":[');
  const site = text.indexOf('","site":', path);
  const name = text.indexOf('],"name":"', path);
  if (path > 0 && name > path && site > name) {
    const quoted = text.slice(name + 9, site + 1);
    const isPlain = !quoted.includes("\\");
    return {
      key: text.slice(path + 7, site + 1),
      name: isPlain ? quoted.slice(1, -1) : String(JSON.parse(quoted)),
    };
  }
  // Another writer's order, or a name that is not Unicode.
  const line = parseLine(text);
  return line ? { key: keyOf(line), name: String(line["name"]) } : { key: "", name: "" };
}

function keyOf(line: Line): string {
  const { path, name } = line as unknown as LogRecord;
  return valueKey(path, name);
}

function takeLogged(text: string): Kept[] {
  const record = parseLine(text) as LogRecord | undefined;
  return record ? [{ seq: record.seq, value: record.value }] : [];
}

function endOf({ path, loop, entry }: ExitRecord): string {
  return formatPath([...path, pathElement(loop, "end", entry)]);
}

/** Drops what a resumed run did again. */
function rewindValues(
  seq: number,
  values: Map<string, Kept[]>,
  iterations: Map<string, Kept>,
): void {
  for (const [key, kept] of values) {
    values.set(
      key,
      kept.filter((value) => value.seq <= seq),
    );
  }
  for (const [key, kept] of iterations) if (kept.seq > seq) iterations.delete(key);
}

function mapValues<From, To>(
  from: ReadonlyMap<string, From>,
  map: (value: From) => To | null,
): Map<string, To> {
  const result = new Map<string, To>();
  for (const [key, value] of from) {
    const mapped = map(value);
    if (mapped !== null) result.set(key, mapped);
  }
  return result;
}
