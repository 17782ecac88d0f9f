/**
 * @file `push` and `pull`: versions and sealed logs of runs travel by git, under `refs/afterlog/` of
 * a remote (semantics, "Versions"). Checkpoints stay where they are. What is there already is not
 * sent again, and several machines can use one remote: ids of runs are drawn, and a sealed run
 * never changes.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { wallClock } from "../../host/index.ts";
import { makeFolder, syncName } from "../durable.ts";
import type { ExchangePlace, Refspec, Remote } from "./exchange-git.ts";
import {
  absoluteAddress,
  exchangePlace,
  fetchRefs,
  findRemote,
  listRemote,
  LOGS,
  RUNS,
  sendRefs,
} from "./exchange-git.ts";
import type { PushContents, SecretFile } from "./push-contents.ts";
import { pushedRun } from "./push-contents.ts";
import { VersionsToSend } from "./push-versions.ts";
import type { ReceivedFiles } from "./exchange-log.ts";
import { countAnnotations, pullAnnotations, pushAnnotations } from "./exchange-annotations.ts";
import { checkReceived, isBeginning, isRunId, readLog } from "./exchange-log.ts";
import { makeLogTrees, readLogTrees } from "./exchange-trees.ts";
import { runPaths, storePaths } from "../store-paths.ts";
import { trashedRuns } from "../trash.ts";
import type { Project } from "../project.ts";
import { listRunIds, noteOrder } from "../runs.ts";
import type { GitPlace } from "../versions/version-git.ts";
import { rawToText, tryGit } from "../versions/version-git.ts";
import { locateRepository } from "../versions/version-locate.ts";
import { openPrivate } from "../versions/version-private.ts";
import { excludeStore } from "../versions/versions.ts";

export interface ExchangeOptions {
  readonly project: Project;
  /** Name of a git remote, URL, or path as seen from `cwd`. */
  readonly remote: string;
  readonly cwd: string;
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

/** Repositories of a project's versions, and the one through which remotes are reached. */
class ExchangeRepositories {
  readonly user: GitPlace | undefined;
  /** The project inside the user's repository. */
  readonly folder: string;
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
    const located = locateRepository(project.root);
    const repository = located.kind === "repository" ? located.repository : undefined;
    this.user = repository && { gitDir: repository.gitDir, workTree: repository.workTree };
    this.folder = repository?.folder.replace(/\/$/, "") || ".";
  }

  /** Versions of a project in no repository are kept apart (`version-private.ts`). */
  get private(): GitPlace {
    const { store, root } = this.#project;
    const temporary = mkdtempSync(join(store, "version-"));
    try {
      return { gitDir: openPrivate({ store, temporary }), workTree: root };
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  /** Where versions that were recorded so are kept here. */
  of(isPrivate: boolean): GitPlace {
    return isPrivate ? this.private : (this.user ?? this.private);
  }

  get any(): GitPlace {
    return this.user ?? this.private;
  }

  /** The remote, as the repository at `place` must call it. */
  address(remote: Remote, place: GitPlace): Remote {
    if (place === this.user) return remote;
    return { ...remote, address: absoluteAddress(this.user, remote) };
  }
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
  const sendable = wanted.filter(([run]) => !refused.has(run));
  const list = (): Map<string, string> => listRemote(places.user, cwd, remote);
  const exchange = { logs, remote: places.address(remote, any), store: project.store, list };
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
  const contents = { runs, annotations, ...versions.tracked(remote) };
  return { contents, secrets: versions.secrets, allow: versions.allow, send };
}

/** How a log on the other side compares with ours of the same run. */
type LogComparison = "older" | "newer" | "other";

function olderThere(
  logs: ExchangePlace,
  remote: Remote,
  store: string,
  trees: ReadonlyMap<string, string>,
): Map<string, LogComparison> {
  const found = new Map<string, LogComparison>();
  if (trees.size === 0) return found;
  fetchRefs(
    logs,
    remote,
    [...trees.keys()].map((run) => LOGS + run),
    { keep: false },
  );
  for (const { run, files } of readLogTrees(logs, trees)) {
    const ours = readLog(storePaths.run(store, run));
    const theirs = typeof files === "string" ? undefined : files.get("log.jsonl");
    found.set(run, compareLogs(ours, theirs));
  }
  return found;
}

function compareLogs(ours: Buffer | undefined, theirs: Buffer | undefined): LogComparison {
  if (!ours || !theirs) return "other";
  if (isBeginning(theirs, ours)) return "older";
  return isBeginning(ours, theirs) ? "newer" : "other";
}

/** Receives what is not here. Throws AL046 if the remote cannot be reached, AL047 if it is empty. */
export function pullRuns({ project, remote: word, cwd }: ExchangeOptions): Exchanged {
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
  const address = places.address(remote, any);
  const logs = exchangePlace(any, store);
  const here = makeLogTrees(logs, store, listRunIds(store).filter(isRunId));
  const trashed = trashedRuns(store);
  const missing = refs
    .map(([ref, tree]) => [ref.slice(LOGS.length), tree] as const)
    // One in the trash was here, and was removed.
    .filter(([run, tree]) => here.trees.get(run) !== tree && !trashed.has(run));
  fetchRefs(
    logs,
    address,
    missing.map(([run]) => LOGS + run),
    { keep: false },
  );
  using reception = new Reception(project, places, { remote, there });
  for (const { run, files } of readLogTrees(logs, new Map(missing))) reception.take(run, files);
  reception.finish();
  const annotations = pullAnnotations({ logs, remote: address, store }, there);
  const { runs, updated, refused, elsewhere } = reception;
  const present = refs.length - runs.length - updated.length - refused.size - elsewhere;
  return { runs, updated, present, annotations, unsealed: new Map(), refused };
}

/** Runs on their way into the store: checked, laid aside, and put in place with their versions. */
class Reception implements Disposable {
  readonly runs: string[] = [];
  readonly updated: string[] = [];
  readonly refused = new Map<string, string>();
  /** Runs of other projects in the same repository. */
  elsewhere = 0;
  readonly #project: Project;
  readonly #places: ExchangeRepositories;
  readonly #remote: Remote;
  readonly #there: ReadonlyMap<string, string>;
  readonly #aside: string;
  readonly #waiting: Manifest[] = [];

  constructor(
    project: Project,
    places: ExchangeRepositories,
    given: { readonly remote: Remote; readonly there: ReadonlyMap<string, string> },
  ) {
    this.#project = project;
    this.#places = places;
    this.#remote = given.remote;
    this.#there = given.there;
    // On the same file system, so that a run appears whole.
    this.#aside = mkdtempSync(join(project.store, "version-"));
  }

  take(run: string, files: ReceivedFiles | string): void {
    const received =
      typeof files === "string"
        ? ({ kind: "refused", why: files } as const)
        : checkReceived(run, files);
    if (received.kind === "refused" || typeof files === "string") {
      this.refused.set(run, received.kind === "refused" ? received.why : "");
      return;
    }
    const { manifest } = received;
    const folder = storePaths.run(this.#project.store, run);
    if (!this.#isOfProject(manifest)) {
      this.elsewhere++;
      return;
    }
    if (existsSync(folder)) {
      const how = compareLogs(readLog(folder), files.get("log.jsonl"));
      // "older": ours has more, or is the same with less beside it.
      if (how === "newer") this.#lay(manifest, files);
      else if (how === "other") this.refused.set(run, "there is another run of this id here");
      return;
    }
    this.#lay(manifest, files);
  }

  /** Brings the versions, then puts the runs in place. */
  finish(): void {
    for (const isPrivate of [false, true]) this.#fetchVersions(isPrivate);
    const { store } = this.#project;
    makeFolder(storePaths.runs(store));
    for (const manifest of this.#waiting.filter(({ run }) => !this.refused.has(run))) {
      this.#place(manifest);
    }
    const orders = this.#waiting.map(({ order }) => order);
    noteOrder(store, orders, wallClock().getTime());
  }

  [Symbol.dispose](): void {
    rmSync(this.#aside, { recursive: true, force: true });
  }

  /** One repository may hold several projects. */
  #isOfProject({ version }: Manifest): boolean {
    if (version === null || version.private || !this.#places.user) return true;
    return version.folder === this.#places.folder;
  }

  #lay(manifest: Manifest, files: ReceivedFiles): void {
    const folder = join(this.#aside, manifest.run);
    mkdirSync(folder);
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    this.#waiting.push(manifest);
  }

  #fetchVersions(isPrivate: boolean): void {
    const wanted = this.#waiting.filter(({ kind, version }) => {
      return kind !== "replay" && version !== null && version.private === isPrivate;
    });
    if (wanted.length === 0) return;
    const place = this.#places.of(isPrivate);
    const here = refsOf(place);
    const open = wanted.filter(({ run, version }) => {
      const ref = RUNS + run;
      const known = here.get(ref) ?? this.#there.get(ref);
      // A version that nobody has: its log can be read all the same.
      if (known === undefined) return false;
      if (known !== version?.commit)
        this.refused.set(run, "its version is not the one that it names");
      return known === version?.commit && !here.has(ref);
    });
    const refs = open.map(({ run }) => RUNS + run);
    fetchRefs(place, this.#places.address(this.#remote, place), refs, { keep: true });
  }

  #place({ run }: Manifest): void {
    const from = join(this.#aside, run);
    const folder = storePaths.run(this.#project.store, run);
    if (!existsSync(folder)) {
      if (!isMoved(from, folder)) return;
      syncName(folder);
      this.runs.push(run);
      return;
    }
    // It was resumed after it was here: the manifest last, since it says how it ended.
    const order = [runPaths.log, runPaths.profile, runPaths.values, runPaths.manifest];
    for (const path of order) if (existsSync(path(from))) renameSync(path(from), path(folder));
    syncName(runPaths.manifest(folder));
    this.updated.push(run);
  }
}

/** False if another process has just put it there. */
function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (existsSync(to)) return false;
    throw error;
  }
}

function refsOf(place: GitPlace): Map<string, string> {
  const { out } = tryGit(place, ["for-each-ref", "--format=%(refname) %(objectname)", RUNS]);
  return new Map(
    rawToText(out)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string]),
  );
}

function noRuns({ name }: Remote): AfterlogError {
  return new AfterlogError("AL047", `${name} holds no runs`, {
    notes: ["it is a git repository, but nothing in it is under refs/afterlog/"],
    help: [`send some from the machine that has them:  afterlog push ${name}`],
    data: { remote: name },
  });
}
