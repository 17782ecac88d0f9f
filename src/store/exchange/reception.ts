/**
 * @file Runs on their way into a store: checked, laid aside, and put in place with their versions and
 * the mark of where they came from. One that is not sound is named and left; it keeps no other from
 * coming, and nothing that is here is changed by it.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../format/index.ts";
import { wallClock } from "../../host/index.ts";
import { makeFolder, syncName } from "../durable.ts";
import type { Project } from "../project.ts";
import type { ReceivedFrom } from "../received.ts";
import { readReceived, receivedToJson, withoutPassword } from "../received.ts";
import { listRunIds, noteOrder, readManifest } from "../runs.ts";
import { runPaths, storePaths } from "../store-paths.ts";
import type { GitPlace } from "../versions/version-git.ts";
import { rawToText, tryGit } from "../versions/version-git.ts";
import type { Remote } from "./exchange-git.ts";
import { absoluteAddress, RUNS } from "./exchange-git.ts";
import { compareLogs, readLog } from "./exchange-log.ts";
import type { ExchangeRepositories } from "./exchange-repositories.ts";
import { receiveVersions } from "./receive-versions.ts";
import type { ReceivedFiles } from "./validate-run.ts";
import { validateRun } from "./validate-run.ts";

export interface ReceptionOptions {
  readonly remote: Remote;
  /** What the remote has, by ref. */
  readonly there: ReadonlyMap<string, string>;
  /** What may come in all. */
  readonly bytesMax: number;
  /** Whether a remote may continue runs that were recorded here, or came from another one. */
  readonly isTrusted?: (address: string) => boolean;
}

export class Reception implements Disposable {
  readonly runs: string[] = [];
  readonly updated: string[] = [];
  readonly refused: Map<string, string> = new Map<string, string>();
  /** Runs of other projects in the same repository. */
  elsewhere = 0;
  readonly #project: Project;
  readonly #places: ExchangeRepositories;
  readonly #options: ReceptionOptions;
  readonly #from: ReceivedFrom;
  readonly #aside: string;
  readonly #waiting = new Map<string, Manifest>();
  /** Ids of all runs, here and coming, as a file system that leaves case out has them. */
  readonly #folded: Map<string, string>;
  #bytes = 0;

  constructor(project: Project, places: ExchangeRepositories, options: ReceptionOptions) {
    this.#project = project;
    this.#places = places;
    this.#options = options;
    const { remote } = options;
    const address = withoutPassword(absoluteAddress(places.user, remote));
    this.#from = { remote: remote.name, address, atMs: wallClock().getTime() };
    this.#folded = new Map(listRunIds(project.store).map((run) => [run.toLowerCase(), run]));
    // On the same file system, so that a run appears whole.
    this.#aside = mkdtempSync(join(project.store, "version-"));
  }

  refuse(run: string, why: string): void {
    this.refused.set(run, why);
  }

  /** Checks a run, and lays it aside if it is wanted here. */
  take(run: string, files: ReceivedFiles | string): void {
    if (typeof files === "string") return this.refuse(run, files);
    const validated = validateRun(run, files);
    if (validated.kind !== "sound") {
      const isOpen = validated.kind === "unsealed";
      return this.refuse(run, isOpen ? "its log is not sealed" : validated.why);
    }
    const { manifest } = validated;
    if (!this.#isOfProject(manifest)) {
      this.elsewhere++;
      return;
    }
    const why = this.#whyNotWanted(run, files);
    if (why === "older") return;
    if (why !== undefined) return this.refuse(run, why);
    this.#lay(manifest, files);
  }

  /** Brings the versions, then puts the runs in place. */
  finish(): void {
    for (const [run, manifest] of this.#waiting) {
      const why = this.#whyNotFamily(manifest);
      if (why !== undefined) this.refuse(run, why);
    }
    for (const isPrivate of [false, true]) this.#receiveVersions(isPrivate);
    const { store } = this.#project;
    makeFolder(storePaths.runs(store));
    for (const run of this.#waiting.keys()) if (!this.refused.has(run)) this.#place(run);
    const came = [...this.runs, ...this.updated];
    const orders = came.map((run) => readManifest(storePaths.run(store, run)).order);
    noteOrder(store, orders);
  }

  [Symbol.dispose](): void {
    rmSync(this.#aside, { recursive: true, force: true });
  }

  /** One repository may hold several projects. */
  #isOfProject({ version }: Manifest): boolean {
    if (version === null || version.private || !this.#places.user) return true;
    return version.folder === this.#places.folder;
  }

  /** `older`: what is here is as new, or has more. Else why it is not taken; undefined: it is. */
  #whyNotWanted(run: string, files: ReceivedFiles): string | undefined {
    const other = this.#folded.get(run.toLowerCase());
    if (other !== undefined && other !== run) return "its id is that of another run but for case";
    const folder = storePaths.run(this.#project.store, run);
    if (!existsSync(folder)) return undefined;
    const how = compareLogs(readLog(folder), files.get("log.jsonl"));
    if (how === "older") return how;
    if (how === "other") return "there is another run of this id here";
    // It was resumed elsewhere. What was recorded here only changes if the user trusts who says so.
    const isSame = readReceived(folder)?.address === this.#from.address;
    if (isSame || this.#options.isTrusted?.(this.#from.address) === true) return undefined;
    return `it says that a run of yours went on: trust ${this.#from.remote} to let it`;
  }

  #lay(manifest: Manifest, files: ReceivedFiles): void {
    const { run } = manifest;
    const bytes = [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#bytes + bytes > this.#options.bytesMax)
      return this.refuse(run, "it is too much for one pull, or for this disk: pull again");
    this.#bytes += bytes;
    const folder = join(this.#aside, run);
    mkdirSync(folder);
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
    writeFileSync(runPaths.received(folder), receivedToJson(this.#from));
    this.#waiting.set(run, manifest);
    this.#folded.set(run.toLowerCase(), run);
  }

  /** What of its parents cannot be; those that are nowhere may come another day. */
  #whyNotFamily({ run, kind, parent: first, version }: Manifest): string | undefined {
    const parent = this.#find(first);
    if (kind === "replay" && parent) {
      if (parent.kind === "replay") return "it replays a replay";
      const isSame = parent.version?.commit === version?.commit;
      if (!isSame) return "it does not replay the version of its parent";
    }
    const seen = new Set([run]);
    for (let at = parent; at; at = this.#find(at.parent)) {
      if (seen.has(at.run)) return "it comes to be its own parent";
      seen.add(at.run);
    }
    return undefined;
  }

  #find(run: string | null): Manifest | undefined {
    if (run === null) return undefined;
    const coming = this.#waiting.get(run);
    if (coming) return coming;
    try {
      return readManifest(storePaths.run(this.#project.store, run));
    } catch {
      return undefined;
    }
  }

  #receiveVersions(isPrivate: boolean): void {
    const wanted = [...this.#waiting.values()].flatMap(({ run, kind, version }) => {
      const isHere = version !== null && version.private === isPrivate && !this.refused.has(run);
      return kind !== "replay" && isHere ? [{ run, commit: version.commit }] : [];
    });
    if (wanted.length === 0) return;
    const { remote, there, bytesMax } = this.#options;
    const place = this.#places.of(isPrivate);
    const here = refsOf(place);
    const open = wanted.filter(({ run, commit }) => {
      const known = here.get(RUNS + run) ?? there.get(RUNS + run);
      // A version that nobody has: its log can be read all the same.
      if (known === undefined) return false;
      if (known !== commit) this.refuse(run, "its version is not the one that it names");
      return known === commit && !here.has(RUNS + run);
    });
    const apart = join(this.#aside, "objects");
    const address = this.#places.address(remote, place);
    const refused = receiveVersions({ place, remote: address, wanted: open, apart, bytesMax });
    for (const [run, why] of refused) this.refuse(run, why);
  }

  #place(run: string): void {
    const from = join(this.#aside, run);
    const folder = storePaths.run(this.#project.store, run);
    if (!existsSync(folder)) {
      if (!isMoved(from, folder)) return;
      syncName(folder);
      this.runs.push(run);
      return;
    }
    // It was resumed after it was here: the manifest last, since it says how it ended.
    const { log, profile, values, received, manifest } = runPaths;
    for (const path of [received, log, profile, values, manifest]) {
      if (existsSync(path(from))) renameSync(path(from), path(folder));
    }
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
