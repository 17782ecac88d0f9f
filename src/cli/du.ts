/** @file `afterlog du`: bytes by run and kind. It only looks at files; the index is not opened. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { listRunIds, runPaths, storePaths } from "../store/index.ts";
import type { CliContext } from "./context.ts";
import { formatBytes } from "./format-units.ts";
import { printRows } from "./output.ts";
import { requireProject } from "./project.ts";
import { renderTable } from "./table.ts";

/** Kinds of bytes; `index` and `git` belong to the project, the others to runs. */
const KINDS = ["log", "checkpoints", "values", "console", "index", "git", "other"] as const;
type Kind = (typeof KINDS)[number];
type Sizes = { [kind in Kind]: number };

interface Usage {
  /** `null`: what belongs to no run. */
  readonly run: string | null;
  readonly sizes: Sizes;
  readonly total: number;
}

/** Prints what each run takes on disk, the largest first. */
export async function duCommand(context: CliContext): Promise<number> {
  const { store } = requireProject(context);
  const runs = listRunIds(store).map((run) => measureRun(store, run));
  runs.sort((a, b) => b.total - a.total || ((a.run ?? "") < (b.run ?? "") ? -1 : 1));
  const all = [...runs, measureStore(store)];
  if (context.json || !context.isTTY) {
    await printRows(context, {
      columns: ["run", ...KINDS, "total"].map((name) => ({ name, kind: "number" as const })),
      batches: async function* () {
        yield all.map(({ run, sizes, total }) => [run, ...KINDS.map((kind) => sizes[kind]), total]);
      },
    });
    return 0;
  }
  const sum = (pick: (usage: Usage) => number): number =>
    all.reduce((total, usage) => total + pick(usage), 0);
  const kinds = KINDS.filter((kind) => sum((usage) => usage.sizes[kind]) > 0);
  const line = (title: string, size: (kind: Kind) => number, total: number): string[] => [
    title,
    ...kinds.map((kind) => (size(kind) === 0 ? "" : formatBytes(size(kind)))),
    formatBytes(total),
  ];
  const rows = all.map((usage) =>
    line(usage.run ?? "(project)", (kind) => usage.sizes[kind], usage.total),
  );
  rows.push(
    line(
      "total",
      (kind) => sum((usage) => usage.sizes[kind]),
      sum((usage) => usage.total),
    ),
  );
  const titles = ["RUN", ...kinds.map((kind) => kind.toUpperCase()), "TOTAL"];
  const columns = titles.map(
    (title, at) => ({ title, align: at === 0 ? "left" : "right" }) as const,
  );
  const { text } = renderTable(columns, rows, {
    width: context.columns,
    color: context.color,
    keep: titles.length,
  });
  context.out(text);
  return 0;
}

function measureRun(store: string, run: string): Usage {
  const folder = storePaths.run(store, run);
  const sizes = noSizes();
  const kinds = new Map<string, Kind>([
    [runPaths.manifest(folder), "log"],
    [runPaths.log(folder), "log"],
    [runPaths.profile(folder), "log"],
    [runPaths.checkpoints(folder), "checkpoints"],
    [runPaths.values(folder), "values"],
    [runPaths.stdout(folder), "console"],
    [runPaths.stderr(folder), "console"],
  ]);
  addEntries(folder, sizes, (path) => kinds.get(path) ?? "other");
  return usage(run, sizes);
}

function measureStore(store: string): Usage {
  const sizes = noSizes();
  const index = storePaths.index(store);
  const git = storePaths.privateGit(store);
  addEntries(store, sizes, (path) => {
    if (path === storePaths.runs(store)) return undefined;
    if (path === git) return "git";
    return path.startsWith(index) ? "index" : "other";
  });
  return usage(null, sizes);
}

function noSizes(): Sizes {
  return { log: 0, checkpoints: 0, values: 0, console: 0, index: 0, git: 0, other: 0 };
}

function usage(run: string | null, sizes: Sizes): Usage {
  return { run, sizes, total: KINDS.reduce((sum, kind) => sum + sizes[kind], 0) };
}

/** Adds the bytes of each entry of a folder to the kind that it belongs to. */
function addEntries(
  folder: string,
  sizes: Sizes,
  kindOf: (path: string) => Kind | undefined,
): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const kind = kindOf(path);
    if (kind !== undefined) sizes[kind] += bytesOf(path);
  }
}

/** Bytes of a file, or of all files under a folder. Links are not followed; gone files are 0. */
function bytesOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
