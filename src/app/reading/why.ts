/** @file Where a value comes from, and what its mark rests on. */
import assert from "node:assert/strict";
import type { Provenance } from "../../catalog/index.ts";
import {
  parseJson,
  nameOfColumn,
  readLoggedNames,
  readProvenance,
  unknownName,
  valueColumn,
  pathByIndex,
  readLoopsByValue,
} from "../../catalog/index.ts";
import type { LoopPath } from "../../format/index.ts";
import { AfterlogError, formatPath, parsePath } from "../../format/index.ts";
import type { ReplayDirective } from "../../replayer/index.ts";
import { readManifest, storePaths } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { resolveRun, splitReference } from "../run-reference.ts";

/** A value as JSON, with all that stands behind it. */
export interface ValueReport {
  readonly run: string;
  readonly name: string;
  /** As text: `epoch=3,step=17`. */
  readonly path: string;
  /** Loops whose names mean their own values, which are not the indices of the path; absent: none. */
  readonly by_value?: readonly string[];
  readonly value: unknown;
  /** What was logged at the same place before it, in order; absent: nothing. */
  readonly before?: readonly { readonly value: unknown; readonly check: string | null }[];
  readonly origin: string;
  readonly check: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** The run directory that holds the record: a replay's own for a value in hindsight. */
  readonly source: string;
  readonly commit: string | null;
  readonly when: string;
  /** The orders of the replay that gave it; null for what the run itself logged. */
  readonly replay: ReplayDirective | null;
}

export interface ExplainedValue {
  readonly report: ValueReport;
  /** How many values of the name the run has; the report is of the last. */
  readonly count: number;
}

export interface ValueQuestion {
  /** A run, maybe with a path: `@`, `@~1`, `RUN@epoch=3,step=17`. */
  readonly run: string;
  readonly name: string;
  /** Where in the loops; the last value if it is not given, there or here. */
  readonly path?: string | undefined;
}

/** Looks a value up. Throws AL001 if the path cannot be read, AL004, AL021. */
export async function explainValue(ports: Ports, asked: ValueQuestion): Promise<ExplainedValue> {
  const { store } = requireProject(ports);
  const { name } = asked;
  const { run: word, path: inReference } = splitReference(asked.run);
  const found = await withCatalog(ports, async ({ connection }) => {
    const run = await resolveRun(connection, word);
    const text = asked.path ?? inReference;
    const path = askedPath(text && (await pathByIndex(connection, run, text)));
    const byValue = [...((await readLoopsByValue(connection, run)).get(run) ?? [])];
    const place = { run, name, path: path === null ? null : formatPath(path) };
    const list = await readProvenance(connection, place);
    if (list.count > 0) return { ...list, byValue };
    throw await noSuchValue(place, () => readLoggedNames(connection));
  });
  const [value] = found.values;
  assert(value, "what was counted can be read");
  const source = readManifest(storePaths.run(store, value.source));
  return {
    count: found.count,
    report: {
      run: value.run,
      name: value.name,
      path: value.path,
      ...(found.byValue.length === 0 ? {} : { by_value: found.byValue }),
      value: loggedValue(value),
      ...(found.before.length === 0
        ? {}
        : { before: found.before.map((one) => ({ value: loggedValue(one), check: one.check })) }),
      origin: value.origin,
      check: value.check,
      file: value.file,
      line: value.line,
      source: value.source,
      commit: source.version?.commit ?? null,
      when: source.started,
      replay: source.kind === "replay" ? (source.directive as ReplayDirective) : null,
    },
  };
}

function askedPath(text: string | undefined): LoopPath | null {
  if (text === undefined) return null;
  const path = parsePath(text);
  if (path) return path;
  throw new AfterlogError("AL001", `${JSON.stringify(text)} is not a path of loops`, {
    help: ["a path looks like  epoch=3,step=17"],
  });
}

async function noSuchValue(
  asked: { readonly run: string; readonly name: string; readonly path: string | null },
  known: () => Promise<readonly string[]>,
): Promise<AfterlogError> {
  const names = await known();
  const column = valueColumn("log", asked.name);
  if (!names.includes(column)) return unknownName(asked.name, names.map(nameOfColumn));
  const where = asked.path === null ? "" : ` at ${asked.path || "the top level"}`;
  return new AfterlogError("AL021", `${asked.run} has no value of ${asked.name}${where}`, {
    help: [
      `see what it has:  afterlog frame ${column} --where "run = '${asked.run}'"`,
      `or fill it in:  afterlog replay ${asked.name} --where "run = '${asked.run}'"`,
    ],
    data: asked,
  });
}

function loggedValue({ type, number, text, value }: Provenance): unknown {
  if (type === "number") return number;
  if (type === "text") return text;
  return value === null ? null : parseJson(value);
}
