/**
 * @file The programs that never heard of Afterlog, as files of a project, and the statements that
 * their comments hold: `// probe outer: console.log("norm", norm(w))` is what a person would add
 * later.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatPath } from "../../src/format/index.ts";
import type { TestProject } from "../support/project.ts";
import type { Answer, Found } from "../support/ask.ts";
import type { Cell } from "../truth/reference-sdk.ts";

const FOLDER = join(import.meta.dirname, "programs");
const PROBE = /^(?<indent> *)\/\/ probe (?<kind>prefix|outer|inner|suffix): (?<statement>.*)$/gm;

export type ProbeKind = "prefix" | "outer" | "inner" | "suffix";
export const PROBE_KINDS: readonly ProbeKind[] = ["prefix", "outer", "inner", "suffix"];

export interface Probe {
  readonly kind: ProbeKind;
  readonly statement: string;
  /** What it logs. */
  readonly names: readonly string[];
}

export interface Program {
  /** `early-stopping` */
  readonly name: string;
  /** The file that is run. */
  readonly entry: string;
  /** All files of its project, as they are. */
  readonly files: { readonly [file: string]: string };
  readonly probes: readonly Probe[];
}

/** All programs, by name. */
export function allPrograms(): Program[] {
  const names = readdirSync(FOLDER).filter((file) => file.endsWith(".ts"));
  return names.toSorted().map((entry) => readProgram(entry));
}

function readProgram(entry: string): Program {
  const text = readFileSync(join(FOLDER, entry), "utf8");
  const shared = "shared/points.ts";
  const files = {
    "package.json": '{ "private": true, "type": "module" }\n',
    [entry]: text,
    [shared]: readFileSync(join(FOLDER, shared), "utf8"),
  };
  const probes = [...text.matchAll(PROBE)].map(({ groups = {} }): Probe => {
    const statement = groups["statement"] ?? "";
    return { kind: groups["kind"] as ProbeKind, statement, names: namesIn(statement) };
  });
  return { name: entry.replace(/\.ts$/, ""), entry, files, probes };
}

/** The names before the values: of arguments (`"loss", x`) and in a template (`loss ${x}`). */
function namesIn(statement: string): string[] {
  return [...statement.matchAll(/"(\w+)",|(\w+) \$\{/g)].map((found) => found[1] ?? found[2] ?? "");
}

/** The program's text with the statements of these kinds in it, on the lines of their comments. */
export function withProbes({ entry, files }: Program, kinds: readonly ProbeKind[]): string {
  return (files[entry] ?? "").replaceAll(PROBE, (comment, ...rest) => {
    const { indent, kind, statement } = rest.at(-1) as { [group: string]: string };
    return kinds.includes(kind as ProbeKind) ? `${indent}${statement};` : comment;
  });
}

/** What the probes of these kinds log. */
export function namesOf({ probes }: Program, kinds: readonly ProbeKind[]): string[] {
  return probes.filter(({ kind }) => kinds.includes(kind)).flatMap(({ names }) => names);
}

/** All that the newest run of a project has logged. */
export function cellsOf(project: TestProject): Cell[] {
  return project.records.flatMap((record) =>
    record.k === "log"
      ? [
          {
            path: formatPath(record.path),
            name: record.name,
            value: JSON.stringify(record.value),
          },
        ]
      : [],
  );
}

/** The values that a replay has found, as it told them: to the last bit. */
export function foundBy({ events }: Answer): Found[] {
  return events.flatMap((event) => {
    if (event.kind !== "cell") return [];
    const { path, name, value, check } = event;
    return [{ path: formatPath(path), name, value: JSON.stringify(value), check }];
  });
}
