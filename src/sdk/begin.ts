/**
 * @file How a run begins: the project, a run directory, the version, the manifest, the thread.
 *
 * Whatever fails here turns recording off with one warning; the program runs as if we were not
 * there.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  Directive,
  LoopPath,
  Manifest,
  Orders,
  TurnedOff,
  VersionReference,
} from "../format/index.ts";
import {
  ANY_FILE,
  describeError,
  formatPath,
  loopRulesOf,
  manifestToJson,
  modeOf,
  readLibraries,
} from "../format/index.ts";
import { freeMemoryBytes, testSeams } from "../host/index.ts";
import { InlineMaterializer, ThreadMaterializer } from "../materialize/index.ts";
import type { Project } from "../store/index.ts";
import {
  excludeStore,
  findProject,
  realProgram,
  makeFolder,
  nextOrder,
  readCheckpointIndex,
  readManifest,
  recordVersion,
  replaceFile,
  runPaths,
  STORE_FOLDER,
  storePaths,
  watchForAlerts,
} from "../store/index.ts";
import { claimRun } from "./replay/claim-run.ts";
import { RestoreRates } from "./checkpoints/restore-rates.ts";
import { recordConsole } from "./log/console-records.ts";
import { findingsOf, previousFindings } from "./checkpoints/audit.ts";
import {
  changedVariables,
  environmentHashes,
  startEnvironment,
  unknownVariables,
} from "./environment.ts";
import type { Director } from "./replay/director.ts";
import type { ChangedVariables, Hashes } from "./environment.ts";
import { hostFacts } from "./host-facts.ts";
import { reachedSources, requiredSources } from "./files/loaded-sources.ts";
import { GENERATOR_ALGORITHM } from "./random.ts";
import type { SeededRandom } from "./random.ts";
import { ReplayFiles } from "./files/replay-files.ts";
import { readResumeFacts } from "./replay/resume-facts.ts";
import { readFrequencies, readNeededEnds, retentionOf } from "./replay/resume-retention.ts";
import type { ResumeFacts } from "./replay/resume-facts.ts";
import { runSettings } from "./run-settings.ts";
import { pendingWork } from "./log/pending-work.ts";
import { Session } from "./session.ts";
import type { FileWatch } from "./files/watch-files.ts";
import { framePath } from "./log/recorder.ts";

export interface BeginOptions {
  readonly directive: Directive | undefined;
  readonly random: SeededRandom;
  readonly seed: string;
  readonly notice: (text: string) => void;
  /** Has watched since the SDK was imported. */
  readonly watch: FileWatch;
  /** Sources that the loader has seen, as `file -> sha256`. */
  readonly loadedSources: () => { [file: string]: string };
}

/** Starts recording. Throws if it cannot; the caller warns and continues without. */
export function begin(options: BeginOptions): Session {
  const startedAt = performance.now();
  const { directive } = options;
  options.watch.pause();
  const named = directive?.program ?? process.argv[1] ?? "eval";
  const project = findProgramProject(directive, named);
  const program = realProgram(project.root, named);
  const orders = readOrders(directive);
  if (orders?.out) return beginReplay(options, { project, program, orders, startedAt });
  if (orders && directive?.mode === "resume") {
    return beginAgain(options, { project, orders, startedAt });
  }
  makeFolder(storePaths.runs(project.store));
  const started = new Date();
  const run = makeRunFolder(project.store, program, started);
  const runFolder = storePaths.run(project.store, run);
  const off: TurnedOff[] = [];
  const version = keepVersion(project, run, started, off);
  for (const { feature, why } of off) options.notice(`warning: ${feature} turned off: ${why}`);
  for (const warning of version?.warnings ?? []) options.notice(`warning: ${warning}`);
  const order = nextOrder(project.store, started.getTime());
  const made = { project, program, run, started, version, off, order, orders };
  const begun = makeManifest(options, made);
  const audit = orders
    ? (findingsOf(orders.parent, begun.program) ?? [])
    : previousFindings(project.store, begun);
  const manifest = audit.length === 0 ? begun : { ...begun, audit };
  replaceFile(runPaths.manifest(runFolder), manifestToJson(manifest));
  const session = openSession(options, { project, runFolder, manifest, startedAt, orders });
  // The command that starts a program does it itself.
  if (directive === undefined) watchForAlerts(project, run, "inherit");
  return session;
}

/** A replay writes where its orders say; its sources are kept already, with the run it repeats. */
function beginReplay(
  options: BeginOptions,
  made: { project: Project; program: string; orders: Orders; startedAt: number },
): Session {
  const { project, program, orders, startedAt } = made;
  const runFolder = orders.out ?? "";
  const run = basename(runFolder);
  const facts = { run, started: new Date(), version: null, off: [], order: 0 };
  const manifest = makeManifest(options, { project, program, orders, ...facts });
  replaceFile(runPaths.manifest(runFolder), manifestToJson(manifest));
  const session = openSession(options, { project, runFolder, manifest, startedAt, orders });
  const { director } = session;
  assert(director);
  const path = (): LoopPath => framePath(session.frame);
  compareEnvironment(director, readManifest(orders.parent), project);
  const { written, read, before, left } = director.recorded;
  const mirror = orders.tree?.mirror;
  const isUsual = basename(project.store) === STORE_FOLDER;
  const files = new ReplayFiles({
    root: project.root,
    mirror,
    originals: [
      ...(isUsual ? [dirname(project.store)] : []),
      ...(mirror === undefined ? [] : [project.root.slice(mirror.length)]),
    ],
    own: [project.store, tmpdir()],
    copies: join(dirname(runFolder), "outside"),
    written,
    read,
    before,
    left,
    path,
    insufficient: (why) => director.insufficient(why, path()),
    diverged: (why) => director.diverged(why, path()),
  });
  files.install();
  director.onSkip = (skipped) => files.skipped(skipped);
  return session;
}

/** A run that was interrupted is resumed: the same folder, the same log, another process. */
function beginAgain(
  options: BeginOptions,
  made: { project: Project; orders: Orders; startedAt: number },
): Session {
  const { project, orders, startedAt } = made;
  const runFolder = orders.parent;
  const times = options.directive?.resumed ?? 0;
  const manifest = claimRun(runFolder, times, (before) => {
    const mine: Manifest = {
      ...before,
      status: "recording",
      ended: null,
      exitCode: null,
      signal: null,
      host: hostFacts(),
      resumed: [...(before.resumed ?? []), new Date().toISOString()],
    };
    replaceFile(runPaths.manifest(runFolder), manifestToJson(mine));
    return mine;
  });
  const resumes = readResumeFacts(runFolder);
  const parts = { project, runFolder, manifest, startedAt, orders, resumes };
  const session = openSession(options, parts);
  warnOfSurroundings(session, project, manifest);
  return session;
}

/** Values would be others, or be those of now. */
function compareEnvironment(director: Director, before: Manifest, project: Project): void {
  const { computed, surroundings } = changedSince(before, project);
  const isChanged = (name: string): string => `the environment variable ${name} is not what it was`;
  director.hints.push(...surroundings.map(isChanged));
  if (computed[0] !== undefined) director.suspect(isChanged(computed[0]));
  const files = Object.keys(before.sources);
  const { environment } = before;
  const [unknown] = environment ? unknownVariables(environment, { ...project, files }) : [];
  if (unknown === undefined) return;
  director.suspect(`the run did not look at ${unknown}: what that variable was is not known`);
}

/** Environment variables that are not what they were in a run of the same sources. */
function changedSince(before: Manifest, { root }: Project): ChangedVariables {
  const named = { root, files: Object.keys(before.sources), salt: before.run };
  return changedVariables(before.environment ?? {}, environmentHashes(named, process.env));
}

/** Files that a resumed run finds are not set back as its state is. */
function warnOfSurroundings(session: Session, project: Project, manifest: Manifest): void {
  for (const name of changedSince(manifest, project).computed) {
    session.warn(`the environment variable ${name} is not what it was when the run began`);
  }
  const written = [...(session.director?.recorded.written ?? [])]
    .filter(([file, places]) => file !== ANY_FILE && [...places].some((loops) => loops !== ""))
    .map(([file]) => file);
  if (written.length === 0) return;
  const more = written.length > FILES_NAMED ? ` and ${written.length - FILES_NAMED} more` : "";
  const names = written.slice(0, FILES_NAMED).join(", ");
  session.warn(`files that its loops wrote are as they were left: ${names}${more}`);
}

/** Files that a warning names. */
const FILES_NAMED = 3;

/** How many checkpoints were taken at each path; a name is not used again (format.md). */
function filesThere(runFolder: string): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  for (const { path } of readCheckpointIndex(runFolder).taken) {
    const text = formatPath(path);
    files.set(text, (files.get(text) ?? 0) + 1);
  }
  return files;
}

function readOrders(directive: Directive | undefined): Orders | undefined {
  if (directive?.orders === undefined) return undefined;
  return JSON.parse(readFileSync(directive.orders, "utf8")) as Orders;
}

function openSession(
  options: BeginOptions,
  made: {
    project: Project;
    runFolder: string;
    manifest: Manifest;
    startedAt: number;
    orders: Orders | undefined;
    resumes?: ResumeFacts;
  },
): Session {
  const { project, runFolder, manifest, startedAt, orders, resumes } = made;
  const { directive, watch } = options;
  const { keep, overheadMax, persist } = runSettings(options, project, manifest);
  const session = new Session({
    root: project.root,
    runFolder,
    manifest,
    random: options.random,
    argv: orders ? Object.entries(orders.args).map(([k, v]) => `${k}=${v}`) : manifest.argv,
    orders: orders && {
      orders,
      mode: directive?.mode === "record" ? "fork" : (directive?.mode ?? "fork"),
      program: resolve(directive?.program ?? ""),
    },
    resumes,
    before: {
      files: resumes ? filesThere(runFolder) : new Map(),
      frequencies: resumes ? readFrequencies(runFolder) : new Map(),
      neededEnds: resumes ? readNeededEnds(runFolder) : [],
    },
    retention: retentionOf(keep, orders, resumes),
    rates: ratesOf(directive, project, runFolder, manifest),
    overheadMax,
    live: directive?.live ?? false,
    setupMs: performance.now() - startedAt,
    makeMaterializer: (events) => {
      const { crashAt, stallMs } = testSeams(process.env);
      const files = { run: manifest.run, runFolder, from: resumes?.positions };
      const how = { ...files, crashAt, stallMs, events, freeBytes: freeMemoryBytes };
      return persist === "inline" ? new InlineMaterializer(how) : new ThreadMaterializer(how);
    },
    environment: rememberEnvironment(directive, project.root, manifest.run),
    resources: pendingWork,
    notice: options.notice,
    loaded: (known) => {
      const loaded = { ...known, ...options.loadedSources() };
      return { ...loaded, ...requiredSources(project.root, loaded) };
    },
    // A replay would look at files that it lacks, and keeps no record of its own.
    beforeEnd: () => (orders?.out ? undefined : watch.seal()),
  });
  describeLibraries(session, project.root);
  session.instrument.install();
  if (printsAreLogged(directive, manifest)) {
    recordConsole(console, session, modeOf(manifest));
  }
  const { recorder, ledger } = session.parts;
  recorder.profile({ k: "start", ms: Math.round(startedAt) });
  recorder.profile({ k: "setup", ms: Math.round(performance.now() - startedAt) });
  watch.report({
    ...project,
    own: directive?.orders,
    path: () => framePath(session.frame),
    emit: (event) => recorder.emit({ k: "file", ...event }),
    tooMany: (limit) => session.turnOff("file tracking", `more than ${limit} files`),
    spent: (ms) => (ledger.otherMs += ms),
  });
  return session;
}

function ratesOf(
  directive: Directive | undefined,
  { store }: Project,
  runFolder: string,
  { program }: Manifest,
): RestoreRates {
  const key = { program, host: hostname() };
  return new RestoreRates({ store, key, runFolder, replaying: directive?.mode === "replay" });
}

/** A replay logs them even if the run did not: they may be what is asked for. */
function printsAreLogged(directive: Directive | undefined, manifest: Manifest): boolean {
  if (manifest.handsFree !== true) return false;
  const begun = (manifest.directive as Directive | null)?.console ?? true;
  return directive?.mode === "replay" || begun;
}

/** What the project says of the packages that it uses. */
function describeLibraries(session: Session, root: string): void {
  const { libraries, problems } = readLibraries((name) => {
    const file = join(root, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  });
  const { saving } = session.parts.captured.classes;
  for (const { classes } of libraries) for (const [name, how] of classes) saving.set(name, how);
  if (!session.replaying) for (const problem of problems) session.warn(problem);
}

/** As it is now: the program may change it. */
function rememberEnvironment(
  directive: Directive | undefined,
  root: string,
  salt: string,
): (files: readonly string[]) => Hashes {
  const variables = startEnvironment(directive);
  return (files) => environmentHashes({ root, files, salt }, variables);
}

function findProgramProject(directive: Directive | undefined, program: string): Project {
  if (directive) return { root: directive.root, store: directive.store };
  const start = existsSync(program) ? dirname(resolve(program)) : process.cwd();
  return findProject(start, process.cwd(), process.env["AFTERLOG_DIR"]);
}

/** Of the characters of the program's name in a run's id: leaves room for what is made from it. */
const STEM_MAX = 60;

/** `train-20261115-093000-x7q2`; another random part if the name is taken. */
function makeRunFolder(store: string, program: string, started: Date): string {
  for (;;) {
    const run = runId(program, started, randomBytes(4));
    try {
      mkdirSync(storePaths.run(store, run));
      return run;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/**
 * The id of a run: its program, its start in local time, four random characters. A file and a git
 * ref can have this name, and so can the word of a command: it begins with neither `.` nor `-`.
 */
function runId(program: string, started: Date, random: Uint8Array): string {
  const name = basename(program, extname(program)).replaceAll(/[^\w.-]/g, "_");
  const plain = name.replaceAll(/\.{2,}/g, ".").replace(/^[.-]+/, "");
  const stem = plain.slice(0, STEM_MAX) || "run";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${started.getFullYear()}${two(started.getMonth() + 1)}${two(started.getDate())}`;
  const time = `${two(started.getHours())}${two(started.getMinutes())}${two(started.getSeconds())}`;
  const letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  const suffix = Array.from(random, (byte) => letters[byte % letters.length]);
  return `${stem}-${day}-${time}-${suffix.join("")}`;
}

function keepVersion(
  { root, store }: Project,
  run: string,
  started: Date,
  off: TurnedOff[],
): VersionReference | null {
  try {
    excludeStore(root, store);
  } catch (error) {
    off.push({ feature: "exclusion from git", why: describeError(error) });
  }
  try {
    return recordVersion({ root, store, run, started });
  } catch (error) {
    off.push({ feature: "version", why: describeError(error) });
    return null;
  }
}

function makeManifest(
  { directive, seed }: BeginOptions,
  made: {
    readonly project: Project;
    readonly program: string;
    readonly run: string;
    readonly started: Date;
    readonly version: VersionReference | null;
    readonly off: readonly TurnedOff[];
    readonly order: number;
    readonly orders: Orders | undefined;
  },
): Manifest {
  const { project, run, started, version, off, order, orders } = made;
  const file = resolve(made.program);
  const program = relative(project.root, file);
  // Under the command line the loader reports each file as it is loaded.
  const reached = reachedSources(file, project.root, { follow: directive === undefined });
  return {
    format: 1,
    run,
    name: directive?.name ?? null,
    kind: directive === undefined || directive.mode === "resume" ? "record" : directive.mode,
    parent: orders ? basename(orders.parent) : null,
    directive: directive ?? null,
    project: basename(project.root),
    program,
    language: /\.[cm]?tsx?$/.test(program) ? "typescript" : "javascript",
    argv: process.argv.slice(2),
    cwd: relative(project.root, process.cwd()) || ".",
    started: started.toISOString(),
    ended: null,
    order,
    status: "recording",
    exitCode: null,
    signal: null,
    host: hostFacts(),
    versions: { afterlog: ownVersion(), node: process.versions.node, ...frameworkVersions(file) },
    version,
    ...(directive?.handsFree === true ? modeOf(directive) : {}),
    loopRules: loopRulesOf(directive),
    rewriter: { version: null, rewritten: false, captureMap: null },
    seed,
    generator: GENERATOR_ALGORITHM,
    sources: { ...reached, ...requiredSources(project.root, reached) },
    environment: rememberEnvironment(directive, project.root, run)(Object.keys(reached)),
    off,
    warnings: version?.warnings ?? [],
    overhead: null,
  };
}

const FRAMEWORKS = ["@jax-js/jax", "@tensorflow/tfjs", "@tensorflow/tfjs-node"];

/** Versions of the frameworks that the program's folder would load. */
function frameworkVersions(program: string): { [name: string]: string } {
  const found: { [name: string]: string } = {};
  for (const name of FRAMEWORKS) {
    for (let folder = dirname(program); ; folder = dirname(folder)) {
      const file = join(folder, "node_modules", name, "package.json");
      if (existsSync(file)) {
        found[name] = String(
          (JSON.parse(readFileSync(file, "utf8")) as { version: unknown }).version,
        );
        break;
      }
      if (folder === dirname(folder)) break;
    }
  }
  return found;
}

function ownVersion(): string {
  const file = fileURLToPath(new URL("../../package.json", import.meta.url));
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** A seed of 53 bits, drawn once and recorded. */
export function drawSeed(): string {
  const digest = createHash("sha256").update(randomBytes(16)).digest();
  return String(digest.readUIntBE(0, 6));
}
