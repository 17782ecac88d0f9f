/**
 * @file Whose code may be executed here. Runs that came by `pull` are somebody else's programs: they are
 * executed only after the user has said so for the remote that they came from. That is kept in the
 * user's own configuration, by address: a project cannot say it of itself.
 */
import { AfterlogError } from "../format/index.ts";
import type { ForeignRemote } from "../replayer/index.ts";
import type { Project } from "../store/index.ts";
import { listRunIds, readReceived, remoteAddress, storePaths } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { projectAround } from "./required-project.ts";
import { readUserFile, userFile, writeUserFile } from "./user-file.ts";

/** A remote of which the user has said that its code may be executed. */
export interface TrustedRemote {
  readonly address: string;
  /** ISO time. */
  readonly since: string;
}

/** A remote of this project, or one that is trusted. */
export interface RemoteTrust {
  readonly remote: string | null;
  readonly address: string;
  /** Runs of it that are here. */
  readonly runs: number;
  readonly trusted: string | null;
}

type Env = Ports["env"];

/** The user's own file of trusted remotes. */
export function trustFile(env: Env): string {
  return userFile(env, "trust.json");
}

function readTrusted(env: Env): TrustedRemote[] {
  const file = trustFile(env);
  const text = readUserFile(file);
  if (text === undefined) return [];
  try {
    const { remotes } = JSON.parse(text) as { readonly remotes: readonly TrustedRemote[] };
    return remotes.filter(({ address }) => typeof address === "string" && address !== "");
  } catch {
    throw new AfterlogError("AL008", `${file} cannot be read: no remote is trusted`, {
      help: ["remove it, and say again whom you trust:  afterlog trust REMOTE"],
      data: { file },
    });
  }
}

function writeTrusted(env: Env, remotes: readonly TrustedRemote[]): void {
  writeUserFile(trustFile(env), { v: 1, remotes });
}

export function isTrusted(env: Env, address: string): boolean {
  return readTrusted(env).some((one) => one.address === address);
}

/** From now on code of this remote may be executed. */
function trust({ env, now }: Ports, address: string): void {
  const others = readTrusted(env).filter((one) => one.address !== address);
  writeTrusted(env, [...others, { address, since: now().toISOString() }]);
}

/** What the remotes are that runs of this project came from, and those that are trusted at all. */
export function listTrust(ports: Ports): RemoteTrust[] {
  const trusted = new Map(readTrusted(ports.env).map((one) => [one.address, one.since]));
  const here = marksOf(projectAround(ports));
  const own = [...here].map(([address, { remote, runs }]) => {
    return { remote, address, runs, trusted: trusted.get(address) ?? null };
  });
  const others = [...trusted].filter(([address]) => !here.has(address));
  return [
    ...own,
    ...others.map(([address, since]) => ({ remote: null, address, runs: 0, trusted: since })),
  ];
}

/** Says that a remote is trusted, or no more. Throws AL046 if there is none of that name. */
export function changeTrust(
  ports: Ports,
  word: string,
  { withdraw = false }: { readonly withdraw?: boolean | undefined },
): RemoteTrust {
  const address = addressOf(ports, word);
  if (withdraw) {
    const left = readTrusted(ports.env).filter((one) => one.address !== address);
    writeTrusted(ports.env, left);
  } else trust(ports, address);
  const found = listTrust(ports).find((one) => one.address === address);
  return found ?? { remote: word, address, runs: 0, trusted: null };
}

/** A trusted address, a remote that runs came from, or one of git's. */
function addressOf(ports: Ports, word: string): string {
  const project = projectAround(ports);
  if (readTrusted(ports.env).some(({ address }) => address === word)) return word;
  const marks = [...marksOf(project)].filter(([address, { remote }]) => {
    return address !== "" && (address === word || remote === word);
  });
  const [only] = marks;
  if (only && marks.length === 1) return only[0];
  return remoteAddress(project, ports.cwd, word);
}

function marksOf({ store }: Project): Map<string, { readonly remote: string; runs: number }> {
  const found = new Map<string, { readonly remote: string; runs: number }>();
  for (const run of listRunIds(store)) {
    const received = readReceived(storePaths.run(store, run));
    if (!received) continue;
    const { remote, address } = received;
    const before = found.get(address);
    if (before) before.runs++;
    else found.set(address, { remote, runs: 1 });
  }
  return found;
}

/**
 * Makes sure that the user lets code of these remotes be executed, and asks where there is somebody to
 * ask. Throws AL052 otherwise: nothing is executed.
 */
export async function requireTrust(ports: Ports, remotes: readonly ForeignRemote[]): Promise<void> {
  if (remotes.length === 0) return;
  const { said = [], ask } = ports.trust ?? {};
  for (const one of remotes) {
    const { remote, address } = one;
    if (isTrusted(ports.env, address)) continue;
    if (address === "") throw notTrusted(one, "pull them again: the mark of where from is damaged");
    const isSaid = said.includes(remote) || said.includes(address);
    if (isSaid || (ask !== undefined && (await ask(one)))) trust(ports, address);
    else throw notTrusted(one, `if you trust whoever can write to it:  afterlog trust ${remote}`);
  }
}

function notTrusted({ remote, address, runs }: ForeignRemote, help: string): AfterlogError {
  const what = runs.length === 1 ? `the code of ${runs[0]}` : `the code of ${runs.length} runs`;
  const where = remote === address || address === "" ? remote : `${remote} (${address})`;
  return new AfterlogError("AL052", `${what} came from ${where}, which you have not trusted yet`, {
    notes: ["to ask a run is to execute its program on this machine; nothing was started"],
    help: [help],
    data: { remote, address, runs },
  });
}
