/** @file Runs travel by git, to a remote and from one. */
import type { Exchanged, Project, PushContents, SecretFile } from "../../store/index.ts";
import {
  checkpointsElsewhere,
  preparePush,
  pullRuns,
  remoteAddress,
  storePaths,
  stripVersion,
} from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { projectAround, requireProject } from "../required-project.ts";
import { isTrusted } from "../trust.ts";

/** What was sent or received, as JSON. */
export interface ExchangeReport {
  readonly schema: 1;
  readonly runs: readonly string[];
  /** Runs that continued since they were exchanged last. */
  readonly updated: readonly string[];
  /** How many both sides had already. */
  readonly present: number;
  /** How many lines about runs (tags, notes, names) were new on the other side. */
  readonly annotations: number;
  /** Why none of them was exchanged; null: nothing stood in the way. */
  readonly annotations_refused: string | null;
  /** Runs that are not exchanged yet, and that cannot be, each with the reason. */
  readonly unsealed: Readonly<{ [run: string]: string }>;
  readonly refused: Readonly<{ [run: string]: string }>;
  /** Of runs that were received: whether their code may be executed here. */
  readonly trusted?: boolean;
}

/** What is about to leave this machine, as JSON, and how it is sent. */
export interface PreparedRuns {
  readonly contents: PushContents;
  /** Runs that stay here, by what of their versions looks like a secret. */
  readonly secrets: Readonly<{ [run: string]: readonly SecretFile[] }>;
  /** The line of `afterlog.toml` that says that these are none. */
  readonly allow: string | undefined;
  readonly send: () => ExchangeReport;
}

/** Looks at what is to be sent. `remote`: the name of a git remote, a URL, or the path of a repository. */
export function prepareRuns(ports: Ports, remote: string): PreparedRuns {
  const project = requireProject(ports);
  const { contents, secrets, allow, send } = preparePush({ project, remote, cwd: ports.cwd });
  return {
    contents,
    secrets: Object.fromEntries(secrets),
    allow,
    send: () => reportOf(send()),
  };
}

/** Takes what looks like a secret out of the versions of runs here. */
export function stripSecrets(ports: Ports, secrets: PreparedRuns["secrets"]): void {
  const project = requireProject(ports);
  for (const [run, found] of Object.entries(secrets)) {
    const files = found.filter(({ inLog }) => inLog !== true);
    if (files.length > 0) stripVersion(project, run, files);
  }
}

export interface ReceivedRuns {
  readonly report: ExchangeReport;
  /** The other machines that have checkpoints of runs which have none here. */
  readonly hosts: readonly string[];
}

/** Receives runs. It may come before the first run: then it makes the store. */
export function receiveRuns(ports: Ports, remote: string): ReceivedRuns {
  const project = projectAround(ports);
  const trusts = (address: string): boolean => isTrusted(ports.env, address);
  const pulled = reportOf(pullRuns({ project, remote, cwd: ports.cwd, isTrusted: trusts }));
  const trusted = trusts(remoteAddress(project, ports.cwd, remote));
  const report = { ...pulled, trusted };
  return { report, hosts: hostsOf(project, report.runs) };
}

function reportOf(exchanged: Exchanged): ExchangeReport {
  const { runs, updated, present, annotations, unsealed, refused } = exchanged;
  const isRefused = typeof annotations === "string";
  return {
    schema: 1,
    runs,
    updated,
    present,
    annotations: isRefused ? 0 : annotations,
    annotations_refused: isRefused ? annotations : null,
    unsealed: Object.fromEntries(unsealed),
    refused: Object.fromEntries(refused),
  };
}

function hostsOf({ store }: Project, runs: readonly string[]): string[] {
  const hosts = runs.flatMap((run) => {
    return checkpointsElsewhere(storePaths.run(store, run))?.host ?? [];
  });
  return [...new Set(hosts)];
}
