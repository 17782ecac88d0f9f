/** @file What the preload does in the process that is recorded: collects its sources, begins. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import type { Directive, Orders, RecordedText, RunMode, ProbePlace } from "../format/index.ts";
import { modeOf } from "../format/index.ts";
import { current, directive, onSources } from "./current.ts";
import { showTerminal } from "./terminal.ts";

/** What the loader sends for each project file that it loads. */
interface LoadedSource {
  readonly file: string;
  readonly sha256: string;
  /** Why names in it are not captured. */
  readonly unrewritten?: string;
}

/** What the loader must know to rewrite the program. */
interface RewrittenProgram extends RunMode {
  readonly root: string;
  readonly program: string;
  readonly probes: readonly ProbePlace[];
  readonly recorded: readonly RecordedText[];
}

export interface RecordedSources {
  readonly rewritten: RewrittenProgram;
  readonly forLoader: RewrittenProgram & { readonly port: MessagePort };
  /** A file that this thread loaded. */
  readonly loaded: (file: string, bytes: Buffer) => void;
  /** Begins the run, even if the program then fails to load. */
  readonly begin: () => void;
}

/** Prepares a recording; undefined if this process is not to be recorded. */
export function sourcesOfRun(): RecordedSources | undefined {
  const given = directive();
  if (!given) return undefined;
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  const sources: { [file: string]: string } = {};
  onSources(() => {
    for (;;) {
      const received: { message: LoadedSource } | undefined = receiveMessageOnPort(port1);
      if (!received) return sources;
      const { file, sha256, unrewritten } = received.message;
      sources[file] = sha256;
      if (unrewritten !== undefined) current()?.noteOff(`captured names of ${file}`, unrewritten);
    }
  });
  const { root, program } = given;
  const rewritten = { root, program, ...askedOf(given), ...modeOf(given) };
  return {
    rewritten,
    forLoader: { port: port2, ...rewritten },
    loaded: (file, bytes) => {
      sources[relative(given.root, file)] = createHash("sha256").update(bytes).digest("hex");
    },
    begin: () => {
      showTerminal(given.terminal);
      current();
    },
  };
}

function askedOf({ orders }: Directive): Pick<RewrittenProgram, "probes" | "recorded"> {
  if (orders === undefined) return { probes: [], recorded: [] };
  const { probes, recorded = [] } = JSON.parse(readFileSync(orders, "utf8")) as Orders;
  return { probes, recorded };
}
