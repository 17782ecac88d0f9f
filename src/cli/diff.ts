/**
 * @file `afterlog diff A B`: what is different between two runs, the older one first: arguments,
 * last values side by side, the environment, and the source by git.
 */
import pc from "picocolors";
import type { Cell, Connection } from "../catalog/index.ts";
import { cellToJson, literal, readArgTypes, readLoggedNames } from "../catalog/index.ts";
import type { Manifest } from "../format/index.ts";
import { AfterlogError, describeError } from "../format/index.ts";
import type { VersionDiff } from "../store/index.ts";
import { diffVersions, readManifest, storePaths } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { formatCount, formatNumber } from "./format-units.ts";
import { readFrame } from "./frame.ts";
import { displayText, plainText } from "./output.ts";
import { requireProject, withCatalog } from "./project.ts";
import { readRunNames, resolveRun } from "../app/index.ts";
import { renderTable } from "./table.ts";

type DiffOptions = OptionsOf<"diff">;

/** Lines of the source diff that a person gets unless they ask for all. */
const PATCH_LINES = 60;

/** A thing that both runs have, with what each has of it. */
interface Pair {
  readonly name: string;
  readonly from: Cell;
  readonly to: Cell;
}

interface RunDiff {
  readonly from: Manifest;
  readonly to: Manifest;
  readonly args: readonly Pair[];
  readonly values: readonly Pair[];
  readonly environment: readonly Pair[];
  /** Why there is none, if it is a text. */
  readonly source: VersionDiff | string;
}

/** Prints what is different; exit code 0 also if nothing is. */
export async function diffCommand(
  context: CliContext,
  run: string,
  other: string | undefined,
  options: DiffOptions,
): Promise<number> {
  const diff = await readDiff(context, run, other);
  if (context.json) context.out(`${JSON.stringify(diffObject(diff), undefined, 2)}\n`);
  else context.out(diffText(diff, context, options));
  return 0;
}

async function readDiff(
  context: CliContext,
  run: string,
  other: string | undefined,
): Promise<RunDiff> {
  const project = requireProject(context);
  return withCatalog(context, async ({ connection }) => {
    const named = await resolveRun(connection, run);
    const [first, second] =
      other === undefined
        ? [await runBefore(connection, named), named]
        : [named, await resolveRun(connection, other)];
    const [from, to] = [first, second].map((id) => readManifest(storePaths.run(project.store, id)));
    if (!from || !to) throw new Error("two runs were named");
    const args = [...(await readArgTypes(connection)).keys()];
    const logged = (await readLoggedNames(connection)).filter((name) => !args.includes(name));
    const cells = await readCells(connection, [...args, ...logged], [first, second]);
    const pairs = (names: readonly string[]): Pair[] =>
      names.flatMap((name) => {
        const [one = null, two = null] = cells.get(name) ?? [];
        return one === null && two === null ? [] : [{ name, from: one, to: two }];
      });
    return {
      from,
      to,
      args: pairs(args),
      values: pairs(logged),
      environment: environmentOf(from, to),
      source: sourceOf(() => diffVersions(project, from, to)),
    };
  });
}

async function runBefore(connection: Connection, run: string): Promise<string> {
  const runs = (await readRunNames(connection)).filter(({ kind }) => kind !== "replay");
  const before = runs[runs.findIndex((one) => one.run === run) + 1];
  if (before) return before.run;
  throw new AfterlogError("AL004", `there is no run before ${run}`, {
    help: ["name the run to compare it with:  afterlog diff RUN RUN"],
  });
}

/** The last value of each name, for each of the runs. */
async function readCells(
  connection: Connection,
  names: readonly string[],
  runs: readonly string[],
): Promise<Map<string, Cell[]>> {
  // Keys that a frame takes for itself cannot be asked for.
  const asked = names.filter((name) => name !== "run" && name !== "origin");
  const where = `run IN (${runs.map(literal).join(", ")})`;
  const { rows } = await readFrame(connection, { names: asked, where, grain: "run" });
  const found = new Map<string, Cell[]>();
  for await (const batch of rows.batches()) {
    for (const row of batch) {
      // Both are shown though they are one and the same.
      const places = runs.flatMap((run, at) => (run === row[0] ? [at] : []));
      rows.columns.forEach(({ name }, column) => {
        const cells = found.get(name) ?? [];
        for (const at of places) cells[at] = row[column] ?? null;
        found.set(name, cells);
      });
    }
  }
  return found;
}

function environmentOf(from: Manifest, to: Manifest): Pair[] {
  const facts = (manifest: Manifest): Map<string, string> =>
    new Map([
      ["program", manifest.program],
      ["argv", manifest.argv.join(" ")],
      ["seed", manifest.seed],
      ["host", manifest.host.name],
      ["status", manifest.status],
      ...Object.entries(manifest.versions),
    ]);
  const [one, two] = [facts(from), facts(to)];
  return [...new Set([...one.keys(), ...two.keys()])].map((name) => {
    return { name, from: one.get(name) ?? null, to: two.get(name) ?? null };
  });
}

function sourceOf(read: () => VersionDiff): VersionDiff | string {
  try {
    return read();
  } catch (error) {
    return describeError(error);
  }
}

function isDifferent({ from, to }: Pair): boolean {
  return plainText(from) !== plainText(to);
}

function diffText(diff: RunDiff, context: CliContext, { all = false }: DiffOptions): string {
  const { bold, dim } = pc.createColors(context.color);
  const { from, to } = diff;
  const sections = [
    ["arguments", diff.args],
    ["last values", diff.values],
    ["environment", diff.environment],
  ] as const;
  const parts = sections.flatMap(([title, pairs]) => {
    const shown = all ? pairs : pairs.filter(isDifferent);
    const same = pairs.length - shown.length;
    if (shown.length === 0) return pairs.length === 0 ? [] : [`${bold(title)}  ${dim("the same")}`];
    const note =
      same > 0 ? `  ${dim(`${formatCount(same)} more ${same === 1 ? "is" : "are"} the same`)}` : "";
    return [`${bold(title)}${note}\n${pairTable(shown, diff, context)}`];
  });
  const head = `${from.run}  →  ${to.run}`;
  return `${[head, ...parts, sourceText(diff, context, all)].join("\n\n")}\n`;
}

function pairTable(pairs: readonly Pair[], { from, to }: RunDiff, context: CliContext): string {
  const columns = [
    { title: "", align: "left" },
    { title: from.run, align: "right" },
    { title: to.run, align: "right" },
    { title: "CHANGE", align: "right" },
  ] as const;
  const rows = pairs.map((pair) => [
    pair.name,
    displayText(pair.from),
    displayText(pair.to),
    changeText(pair),
  ]);
  const { columns: width, color } = context;
  return renderTable(columns, rows, { width, color, keep: 3 }).text.trimEnd();
}

function changeText({ from, to }: Pair): string {
  if (typeof from !== "number" || typeof to !== "number" || from === to) return "";
  const change = to - from;
  return `${change > 0 ? "+" : ""}${formatNumber(change)}`;
}

/** Commits, files, and the diff itself. */
function sourceText({ source }: RunDiff, { color }: CliContext, all: boolean): string {
  const { bold, dim, cyan, green, red } = pc.createColors(color);
  if (typeof source === "string") return `${bold("source")}  ${dim(source)}`;
  if (source.files.length === 0) return `${bold("source")}  ${dim("the same")}`;
  const commits = source.commits.map(({ commit, subject }) => `  ${commit.slice(0, 7)} ${subject}`);
  const files = source.files.map(({ status, file }) => `  ${status} ${file}`);
  const lines = source.patch.trimEnd().split("\n");
  const shown = all ? lines : lines.slice(0, PATCH_LINES);
  const painted = shown.map((line) => {
    if (/^(?:diff |index |--- |\+\+\+ )/.test(line)) return dim(line);
    if (line.startsWith("@@")) return cyan(line);
    return line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line;
  });
  const more = lines.length - shown.length;
  const rest = more > 0 ? [dim(`… ${formatCount(more)} more lines: add --all`)] : [];
  const changed = `${formatCount(files.length)} file${files.length === 1 ? "" : "s"}`;
  const history = commits.length > 0 ? [bold("commits"), ...commits, ""] : [];
  return [...history, `${bold("source")}  ${changed}`, ...files, "", ...painted, ...rest].join(
    "\n",
  );
}

/** The object of `--json`: only what is different, with the whole source diff. */
function diffObject({ from, to, args, values, environment, source }: RunDiff): object {
  const different = (pairs: readonly Pair[]): object =>
    Object.fromEntries(
      pairs
        .filter(isDifferent)
        .map((pair) => [pair.name, [cellToJson(pair.from), cellToJson(pair.to)]]),
    );
  return {
    from: from.run,
    to: to.run,
    args: different(args),
    values: different(values),
    environment: different(environment),
    source: typeof source === "string" ? { problem: source } : source,
  };
}
