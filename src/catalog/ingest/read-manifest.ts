/**
 * @file What the catalog keeps of `run.json`, also when the file is damaged or missing: a run is
 * never left out of the list because one of its files is bad.
 */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isAfterlogError } from "../../format/index.ts";
import { readManifest, runPaths } from "../../store/index.ts";

/** The manifest's part of a row of `store.runs`; times in ISO form without zone, in UTC. */
export interface ManifestRow {
  readonly run: string;
  readonly name: string | null;
  readonly kind: string;
  readonly parent: string | null;
  /** Of a fork: the iteration that it continues after. */
  readonly point: string | null;
  readonly status: string;
  readonly ordinal: number;
  readonly started: string | null;
  readonly ended: string | null;
  readonly projid: string | null;
  readonly filename: string | null;
  readonly language: string | null;
  readonly argv: readonly string[];
  readonly commit: string | null;
  readonly head: string | null;
  readonly branch: string | null;
  readonly dirty: number | null;
  readonly seed: string | null;
  readonly host: string | null;
  /** It was interrupted, and resumed. */
  readonly resumed: boolean;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly overhead: number | null;
  readonly budget: number | null;
  readonly overhead_parts: unknown;
  readonly off: unknown;
  readonly warnings: readonly string[];
  /** What the name of a loop means in a question. */
  readonly loop_rules: number;
  /** Of a replay: how the question stood in the version, and what that has otherwise. */
  readonly landing: string | null;
  readonly differs: readonly string[];
  readonly manifest_damage: string | null;
}

/** Reads a run's manifest as well as it can be read. */
export function readManifestRow(folder: string): ManifestRow {
  const file = runPaths.manifest(folder);
  try {
    return manifestRow(folder, readManifest(folder), null);
  } catch (error) {
    const newer = isAfterlogError(error) && error.code === "AL041";
    const damage = newer
      ? "run.json: written by a newer version of Afterlog"
      : isMissing(error)
        ? "run.json: missing"
        : "run.json: its checksum does not match";
    return manifestRow(folder, parseLeniently(file), damage);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function parseLeniently(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** Takes each field only if it is of the right type: the manifest may be damaged. */
function manifestRow(folder: string, manifest: unknown, damage: string | null): ManifestRow {
  const fields = new ManifestFields(manifest);
  const version = new ManifestFields(fields.object("version"));
  const overhead = new ManifestFields(fields.object("overhead"));
  const directive = new ManifestFields(fields.object("directive"));
  const landing = new ManifestFields(directive.object("landing"));
  const started = fields.time("started");
  return {
    run: basename(folder),
    name: fields.text("name"),
    kind: fields.text("kind") ?? "record",
    parent: fields.text("parent"),
    point: directive.text("point"),
    status: fields.text("status") ?? "unknown",
    ordinal: fields.number("order") ?? fallbackOrder(folder),
    started: started ?? isoTime(fallbackOrder(folder)),
    ended: fields.time("ended"),
    projid: fields.text("project"),
    filename: fields.text("program"),
    language: fields.text("language"),
    argv: fields.texts("argv"),
    commit: version.text("commit"),
    head: version.text("head"),
    branch: version.text("branch"),
    dirty: version.number("dirty"),
    seed: fields.text("seed"),
    host: new ManifestFields(fields.object("host")).text("name"),
    resumed: fields.texts("resumed").length > 0,
    exit_code: fields.number("exitCode"),
    signal: fields.text("signal"),
    overhead: overhead.number("share"),
    budget: overhead.number("budget"),
    overhead_parts: fields.object("overhead"),
    off: fields.object("off") ?? [],
    // The recorder warned of what it said of the version as well.
    warnings: [...new Set([...fields.texts("warnings"), ...version.texts("warnings")])],
    loop_rules: fields.number("loopRules") ?? 0,
    landing: landing.text("verdict"),
    differs: landing.texts("differs"),
    manifest_damage: damage,
  };
}

/** When the run began, from its id (`train-20261115-093000-x7q2`) or else from its folder. */
function fallbackOrder(folder: string): number {
  const match = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[^-]*$/.exec(basename(folder));
  if (match) {
    const [year = 0, month = 1, ...rest] = match.slice(1).map(Number);
    const time = Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
    if (Number.isFinite(time)) return time;
  }
  return Math.floor(statSync(folder).mtimeMs);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, -1);
}

/** Fields of something that should be an object, each read with its type checked. */
class ManifestFields {
  readonly #fields: { readonly [name: string]: unknown };

  constructor(value: unknown) {
    const isObject = typeof value === "object" && value !== null;
    this.#fields = isObject ? (value as { [name: string]: unknown }) : {};
  }

  text(name: string): string | null {
    const value = this.#fields[name];
    return typeof value === "string" ? value.toWellFormed() : null;
  }

  number(name: string): number | null {
    const value = this.#fields[name];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  }

  object(name: string): unknown {
    const value = this.#fields[name];
    return typeof value === "object" ? value : null;
  }

  texts(name: string): string[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return [];
    return value.filter((item) => typeof item === "string").map((item) => item.toWellFormed());
  }

  time(name: string): string | null {
    const ms = Date.parse(this.text(name) ?? "");
    return Number.isNaN(ms) ? null : isoTime(ms);
  }
}
