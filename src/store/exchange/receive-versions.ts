/**
 * @file Versions that come from elsewhere: fetched into a folder of their own, looked at there, and
 * only then brought into the repository that keeps versions here, under the refs of their runs.
 * What a remote sends besides, or instead, never gets that far.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AfterlogError } from "../../format/index.ts";
import type { GitPlace } from "../versions/version-git.ts";
import { gitMessage, tryGit } from "../versions/version-git.ts";
import type { ExchangePlace, Remote } from "./exchange-git.ts";
import { commitsAmong, exchangeGit, fetchObjects, placeApart, RUNS } from "./exchange-git.ts";
import { checkTrees } from "./check-trees.ts";

/** A repository that is packed takes as long as it takes. */
const PACK_MS = 3_600_000;

/** The commit that keeps the source of a run. */
export interface WantedVersion {
  readonly run: string;
  readonly commit: string;
}

/**
 * Brings versions and makes their refs. Answers the runs whose version cannot be had or taken, each
 * with the reason. `apart`: a folder that does not exist, removed again.
 */
export function receiveVersions(options: {
  readonly place: GitPlace;
  readonly remote: Remote;
  readonly wanted: readonly WantedVersion[];
  readonly apart: string;
  readonly bytesMax: number;
}): Map<string, string> {
  const { place, remote, wanted, apart, bytesMax } = options;
  const refused = new Map<string, string>();
  if (wanted.length === 0) return refused;
  try {
    const there = placeApart(place, join(apart, "objects"));
    const refs = wanted.map(({ run }) => RUNS + run);
    const failed = fetchObjects(there, remote, refs, bytesMax);
    for (const [ref, why] of failed) refused.set(ref.slice(RUNS.length), `its version: ${why}`);
    const came = wanted.filter(({ run }) => !refused.has(run));
    // A remote may answer something else than it has listed.
    const commits = commitsAmong(there, [...new Set(came.map(({ commit }) => commit))]);
    const problems = checkTrees(there, [...commits]);
    for (const { run, commit } of came) {
      if (!commits.has(commit)) refused.set(run, "its version is not the one that it names");
      const why = problems.get(commit);
      if (why !== undefined) refused.set(run, `its version: ${why}`);
    }
    bringIn(there, place, { wanted: came.filter(({ run }) => !refused.has(run)), apart });
    return refused;
  } finally {
    rmSync(apart, { recursive: true, force: true });
  }
}

/** Packs what the repository lacks, and gives each version its ref. */
function bringIn(
  from: ExchangePlace,
  place: GitPlace,
  { wanted, apart }: { readonly wanted: readonly WantedVersion[]; readonly apart: string },
): void {
  if (wanted.length === 0) return;
  const commits = [...new Set(wanted.map(({ commit }) => commit))];
  const pack = ["pack-objects", "--revs", "--local", "--non-empty", "--quiet", join(apart, "new")];
  const name = exchangeGit(from, pack, `${commits.join("\n")}\n`).trim();
  if (name !== "") {
    const inputFile = join(apart, `new-${name}.pack`);
    mustWork(place, ["index-pack", "--stdin"], { inputFile, timeoutMs: PACK_MS });
  }
  const lines = wanted.map(({ run, commit }) => `create ${RUNS}${run} ${commit}\n`);
  mustWork(place, ["update-ref", "--stdin"], { input: lines.join("") });
}

function mustWork(
  place: GitPlace,
  args: readonly string[],
  options: Parameters<typeof tryGit>[2],
): void {
  const answer = tryGit(place, args, options);
  if (answer.ok) return;
  throw new AfterlogError("AL046", `git ${args[0]}: ${gitMessage(answer.err)}`, {
    help: ["make sure that the git repository can be written, and that its disk is not full"],
  });
}
