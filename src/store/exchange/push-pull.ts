/**
 * @file `push` and `pull`: versions and sealed logs of runs travel by git, under `refs/afterlog/` of
 * a remote (semantics, "Versions"). Checkpoints stay where they are. What is there already is not
 * sent again, and several machines can use one remote: ids of runs are drawn, and a sealed run
 * never changes.
 */
import { existsSync, statfsSync } from "node:fs";
import type { Annotation } from "../../format/index.ts";
import { AfterlogError, isRunId } from "../../format/index.ts";
import { readAnnotations } from "../annotations.ts";
import { makeFolder } from "../durable.ts";
import type { ExchangePlace, Refspec, Remote } from "./exchange-git.ts";
import {
  absoluteAddress,
  exchangePlace,
  fetchObjects,
  findRemote,
  listRemote,
  LOGS,
  sendRefs,
} from "./exchange-git.ts";
import type { PushContents, SecretFile } from "./push-contents.ts";
import { pushedRun } from "./push-contents.ts";
import { secretInAnnotation, secretsInRun } from "./push-texts.ts";
import { VersionsToSend } from "./push-versions.ts";
import { countAnnotations, pullAnnotations, pushAnnotations } from "./exchange-annotations.ts";
import type { LogComparison } from "./exchange-log.ts";
import { compareLogs, readLog } from "./exchange-log.ts";
import { ExchangeRepositories } from "./exchange-repositories.ts";
import { makeLogTrees, readLogTrees } from "./exchange-trees.ts";
import { Reception } from "./reception.ts";
import { storePaths } from "../store-paths.ts";
import { trashedRuns } from "../trash.ts";
import type { Project } from "../project.ts";
import { withoutPassword } from "../received.ts";
import { listRunIds } from "../runs.ts";
import { rawToText } from "../versions/version-git.ts";
import type { FoundSecret } from "../versions/version-secrets.ts";
import { notSecretLine, ownPaths, withoutNamed } from "../versions/version-secrets.ts";
import { excludeStore } from "../versions/versions.ts";

export interface ExchangeOptions {
  readonly project: Project;
  /** Name of a git remote, URL, or path as seen from `cwd`. */
  readonly remote: string;
  readonly cwd: string;
}

export interface PullOptions extends ExchangeOptions {
  /** Whether a remote may continue runs that were recorded here or came from another; absent: none may. */
  readonly isTrusted?: (address: string) => boolean;
  /** What may come at once; absent: 20 GB, and what is free on the disk but for one. */
  readonly bytesMax?: number;
}

export interface Exchanged {
  /** Runs that were sent or received, replays included; some may have been resumed since. */
  readonly runs: readonly string[];
  readonly updated: readonly string[];
  /** How many were on both sides already. */
  readonly present: number;
  /** Lines about runs (tags, notes, names) that were new on the other side, or why none went. */
  readonly annotations: number | string;
  /** Not over, or without a seal: not sent. */
  readonly unsealed: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, string>;
}

/** What a push would send, nothing of which has left yet. */
export interface PreparedPush {
  readonly contents: PushContents;
  /** Runs whose versions hold what looks like a secret: they stay here. */
  readonly secrets: ReadonlyMap<string, readonly SecretFile[]>;
  /** The line of `afterlog.toml` by which these are none; undefined: there are none. */
  readonly allow: string | undefined;
  /** Sends it. Throws AL046 if the remote cannot be reached. */
  readonly send: () => Exchanged;
}

/** Sends what the remote does not have. Throws AL046 if it cannot be reached. */
export function pushRuns(options: ExchangeOptions): Exchanged {
  return preparePush(options).send();
}

/** Finds out what the remote does not have. Throws AL046 if it cannot be reached. */
export function preparePush({ project, remote: word, cwd }: ExchangeOptions): PreparedPush {
  const places = new ExchangeRepositories(project);
  const remote = findRemote(places.user, cwd, word);
  const there = listRemote(places.user, cwd, remote);
  const { any } = places;
  const logs = exchangePlace(any, project.store);
  const made = makeLogTrees(logs, project.store, listRunIds(project.store).filter(isRunId));
  const refused = new Map(made.refused);
  const open = [...made.trees].filter(([run, tree]) => there.get(LOGS + run) !== tree);
  const known = open.flatMap(([run]) => {
    const before = there.get(LOGS + run);
    return before === undefined ? [] : [[run, before] as const];
  });
  const older = olderThere(logs, places.address(remote, any), project.store, new Map(known));
  const wanted = open.filter(([run]) => !there.has(LOGS + run) || older.get(run) === "older");
  const others = [...older].filter(([, how]) => how === "other").map(([run]) => run);
  for (const run of others) refused.set(run, "the remote has another run of this id");
  const versions = new VersionsToSend(places, project, { runs: wanted.map(([run]) => run), there });
  for (const [run, why] of versions.refused) refused.set(run, why);
  const { secrets, named } = withLogs(project, wanted, versions);
  for (const [run, why] of describeLogs(secrets)) refused.set(run, why);
  const sendable = wanted.filter(([run]) => !refused.has(run));
  const list = (): Map<string, string> => listRemote(places.user, cwd, remote);
  const held = heldAnnotations(project);
  const exchange = { logs, remote: places.address(remote, any), store: project.store, list, held };
  const send = (): Exchanged => {
    for (const [run, why] of versions.send(remote)) refused.set(run, why);
    const specs = sendable
      .filter(([run]) => !refused.has(run))
      .map(([run, object]): Refspec => {
        return { object, ref: LOGS + run, before: there.get(LOGS + run) ?? null };
      });
    const rejected = sendRefs(logs, places.address(remote, any), specs);
    for (const [ref, why] of rejected) refused.set(ref.slice(LOGS.length), why);
    const sent = specs.map(({ ref }) => ref.slice(LOGS.length)).filter((run) => !refused.has(run));
    const sentLogs = specs.flatMap(({ ref, object }) =>
      rejected.has(ref) ? [] : [[ref, object] as const],
    );
    const annotations = pushAnnotations(exchange, new Map([...there, ...sentLogs]));
    return {
      runs: sent.filter((run) => !older.has(run)),
      updated: sent.filter((run) => older.has(run)),
      present: made.trees.size - wanted.length - others.length,
      annotations,
      unsealed: made.unsealed,
      refused,
    };
  };
  const runs = sendable.map(([run]) => pushedRun(project, run, (one) => versions.sizeOf(one)));
  const going = new Map([
    ...there,
    ...sendable.map(([run, object]) => [LOGS + run, object] as const),
  ]);
  const annotations = countAnnotations(exchange, going);
  const kept = [...held].flatMap(([{ run }, { path, what }]) =>
    going.has(LOGS + run) ? [{ run, file: rawToText(path), what }] : [],
  );
  const contents = { runs, annotations, held: kept, ...versions.tracked(remote) };
  const allow = named.length === 0 ? undefined : notSecretLine(named);
  return { contents, secrets, allow, send };
}

/** What versions and logs hold that looks like a secret, by run and by the names of `record.not_secret`. */
function withLogs(
  project: Project,
  runs: readonly (readonly [run: string, tree: string])[],
  versions: VersionsToSend,
): { secrets: ReadonlyMap<string, readonly SecretFile[]>; named: readonly string[] } {
  const secrets = new Map(versions.secrets);
  const named = [...versions.named];
  for (const [run] of runs) {
    const found = withoutNamed(secretsInRun(storePaths.run(project.store, run)), inRoot(project));
    if (found.length === 0) continue;
    named.push(...ownPaths(found, ""));
    const files = found.map(({ path, what }): SecretFile => {
      return { file: rawToText(path), what, inLog: true };
    });
    secrets.set(run, [...(secrets.get(run) ?? []), ...files]);
  }
  return { secrets, named };
}

function* describeLogs(
  secrets: ReadonlyMap<string, readonly SecretFile[]>,
): Iterable<readonly [run: string, why: string]> {
  for (const [run, files] of secrets) {
    const texts = files.flatMap(({ file, what, inLog }) => (inLog ? [`${file} (${what})`] : []));
    if (texts.length > 0) yield [run, `its log holds ${texts.join(", ")}`];
  }
}

function inRoot({ root }: Project): { readonly root: string; readonly folder: string } {
  return { root, folder: "" };
}

/** What is said of runs, and looks like a secret. */
function heldAnnotations(project: Project): ReadonlyMap<Annotation, FoundSecret> {
  const all = readAnnotations(project.store).flatMap((annotation) => {
    const found = secretInAnnotation(annotation);
    return found === undefined ? [] : [{ ...found, annotation }];
  });
  const left = withoutNamed(all, inRoot(project));
  return new Map(left.map(({ annotation, ...found }) => [annotation, found]));
}

function olderThere(
  logs: ExchangePlace,
  remote: Remote,
  store: string,
  trees: ReadonlyMap<string, string>,
): Map<string, LogComparison> {
  const found = new Map<string, LogComparison>();
  if (trees.size === 0) return found;
  const refs = [...trees.keys()].map((run) => LOGS + run);
  fetchObjects(logs, remote, refs, roomFor(store));
  for (const { run, files } of readLogTrees(logs, trees)) {
    const ours = readLog(storePaths.run(store, run));
    const theirs = typeof files === "string" ? undefined : files.get("log.jsonl");
    found.set(run, compareLogs(ours, theirs));
  }
  return found;
}
/** Receives what is not here. Throws AL046 if the remote cannot be reached, AL047 if it is empty. */
export function pullRuns(options: PullOptions): Exchanged {
  const { project, remote: word, cwd } = options;
  const { store } = project;
  const places = new ExchangeRepositories(project);
  const remote = findRemote(places.user, cwd, word);
  const there = listRemote(places.user, cwd, remote);
  const refs = [...there].filter(
    ([ref]) => ref.startsWith(LOGS) && isRunId(ref.slice(LOGS.length)),
  );
  if (refs.length === 0) throw noRuns(remote);
  if (!existsSync(store)) {
    makeFolder(store);
    excludeStore(project.root, store);
  }
  const { any } = places;
  const bytesMax = options.bytesMax ?? roomFor(store);
  const logs = exchangePlace(any, store);
  const here = makeLogTrees(logs, store, listRunIds(store).filter(isRunId));
  const trashed = trashedRuns(store);
  const missing = new Map(
    refs
      .map(([ref, tree]) => [ref.slice(LOGS.length), tree] as const)
      // One in the trash was here, and was removed.
      .filter(([run, tree]) => here.trees.get(run) !== tree && !trashed.has(run)),
  );
  const wanted = [...missing.keys()].map((run) => LOGS + run);
  const failed = fetchObjects(logs, places.address(remote, any), wanted, bytesMax);
  using reception = new Reception(project, places, { ...options, remote, there, bytesMax });
  for (const [ref, why] of failed) {
    reception.refuse(ref.slice(LOGS.length), why);
    missing.delete(ref.slice(LOGS.length));
  }
  for (const { run, files } of readLogTrees(logs, missing)) reception.take(run, files);
  reception.finish();
  const address = places.address(remote, any);
  const annotations = pullAnnotations({ logs, remote: address, store }, there);
  const { runs, updated, refused, elsewhere } = reception;
  const present = refs.length - runs.length - updated.length - refused.size - elsewhere;
  return { runs, updated, present, annotations, unsealed: new Map(), refused };
}

/** The address by which runs of a remote are marked. Throws AL046. */
export function remoteAddress(project: Project, cwd: string, word: string): string {
  const { user } = new ExchangeRepositories(project);
  return withoutPassword(absoluteAddress(user, findRemote(user, cwd, word)));
}

/** What one pull may bring: nothing legitimate is larger, and the disk is not to be filled. */
const PULL_BYTES_MAX = 20_000_000_000;
const FREE_BYTES_MIN = 1_000_000_000;

function roomFor(store: string): number {
  const { bavail, bsize } = statfsSync(store);
  return Math.max(0, Math.min(PULL_BYTES_MAX, bavail * bsize - FREE_BYTES_MIN));
}

function noRuns({ name }: Remote): AfterlogError {
  return new AfterlogError("AL047", `${name} holds no runs`, {
    notes: ["it is a git repository, but nothing in it is under refs/afterlog/"],
    help: [`send some from the machine that has them:  afterlog push ${name}`],
    data: { remote: name },
  });
}
