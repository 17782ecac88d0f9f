/**
 * @file Which runs a file reached: those that read what it held, those that read what such runs wrote, and
 * forks of them. Pure.
 *
 * Content is known by its hash, so a file that was moved or copied is followed too. Where there is no
 * hash to compare (the writer was killed, or one side was sampled), the name tells, and the step is
 * uncertain.
 */
import { ANY_FILE } from "../../format/index.ts";

/** What a run read or wrote. */
export interface FileUse {
  readonly run: string;
  readonly access: "read" | "written";
  readonly file: string;
  readonly hash: string | null;
  readonly bytes: number | null;
}

export interface TracedRun {
  readonly run: string;
  /** The run that it continues, of a fork. */
  readonly parent: string | null;
}

/** A run that the file reached, and by which way first. */
export interface ReachedRun {
  readonly run: string;
  readonly by: "read" | "fork";
  /** What it read; null of a fork. */
  readonly file: string | null;
  /** The reached run that wrote that, or that it continues; null: it read the file itself. */
  readonly from: string | null;
  /** False: a name stood for the content somewhere on the way. */
  readonly certain: boolean;
}

/** `runs` in the order in which they began. `isSeed`: whether a run read the file itself. */
export function traceFile(
  runs: readonly TracedRun[],
  uses: readonly FileUse[],
  isSeed: (use: FileUse) => boolean,
): ReachedRun[] {
  const byRun = new Map<string, FileUse[]>();
  for (const use of uses) {
    const own = byRun.get(use.run);
    if (own) own.push(use);
    else byRun.set(use.run, [use]);
  }
  const reached = new Map<string, ReachedRun>();
  const written: Written[] = [];
  // A run reads what those before it wrote, and continues one of them: one pass is enough.
  for (const { run, parent } of runs) {
    const own = byRun.get(run) ?? [];
    const found = reachedBy({ run, parent }, own, { isSeed, written, reached });
    if (!found) continue;
    reached.set(run, found);
    for (const use of own) if (use.access === "written") written.push({ use, by: found });
  }
  return [...reached.values()];
}

/** A file of a run that was reached. */
interface Written {
  readonly use: FileUse;
  readonly by: ReachedRun;
}

function reachedBy(
  { run, parent }: TracedRun,
  own: readonly FileUse[],
  known: {
    readonly isSeed: (use: FileUse) => boolean;
    readonly written: readonly Written[];
    readonly reached: ReadonlyMap<string, ReachedRun>;
  },
): ReachedRun | undefined {
  const reads = own.filter(({ access }) => access === "read");
  const seed = reads.find(known.isSeed);
  if (seed) return { run, by: "read", file: seed.file, from: null, certain: true };
  const ways: ReachedRun[] = [];
  const before = parent === null ? undefined : known.reached.get(parent);
  if (before) {
    ways.push({ run, by: "fork", file: null, from: before.run, certain: before.certain });
  }
  for (const read of reads) {
    for (const { use, by } of known.written) {
      const same = sameContent(use, read);
      if (same === "no") continue;
      const certain = by.certain && same === "yes";
      ways.push({ run, by: "read", file: read.file, from: by.run, certain });
    }
  }
  return ways.find(({ certain }) => certain) ?? ways[0];
}

/** Whether what was read is what was written; an empty file carries nothing. */
export function sameContent(
  written: Pick<FileUse, "file" | "hash" | "bytes">,
  read: Pick<FileUse, "file" | "hash" | "bytes">,
): "yes" | "no" | "maybe" {
  if (read.bytes === 0 || written.file === ANY_FILE) return "no";
  if (written.hash !== null && read.hash !== null && kindOf(written) === kindOf(read)) {
    return written.hash === read.hash ? "yes" : "no";
  }
  if (written.file !== read.file) return "no";
  const isOther = written.bytes !== null && read.bytes !== null && written.bytes !== read.bytes;
  return isOther ? "no" : "maybe";
}

/** `sha256` of all, or `sampled`. */
function kindOf({ hash }: Pick<FileUse, "hash">): string | undefined {
  return hash?.split(":")[0];
}
