/**
 * @file `afterlog diff A B`: what is different between two runs, the older one first: arguments,
 * last values side by side, the environment, and the source by git.
 */
import type { SharedFact, RunDiff } from "../../app/read.ts";
import { diffRuns, isDifferent } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatNumber } from "../terminal/format-units.ts";
import { displayText, printLong } from "../terminal/output.ts";
import { portsOf } from "../command-ports.ts";
import { renderTable } from "../terminal/text-table.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

type DiffOptions = OptionsOf<"diff">;

/** Lines of the source diff that a person gets unless they ask for all. */
const PATCH_LINES = 60;

/** Prints what is different; exit code 0 also if nothing is. */
export async function diffCommand(
  context: CliContext,
  run: string,
  other: string | undefined,
  options: DiffOptions,
): Promise<number> {
  const diff = await diffRuns(portsOf(context), { run, other });
  if (context.json) context.out(`${JSON.stringify(diff.report, undefined, 2)}\n`);
  else await printLong(context, diffText(diff, context, options));
  return 0;
}

function diffText(diff: RunDiff, context: CliContext, { all = false }: DiffOptions): string {
  const { bold, dim } = createColors(context.color);
  const { from, to } = diff;
  const sections = [
    ["arguments", diff.args],
    ["last values", diff.values],
    ["data", diff.data],
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

function pairTable(
  pairs: readonly SharedFact[],
  { from, to }: RunDiff,
  context: CliContext,
): string {
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
  const { columns: width, color, named } = context;
  return renderTable(columns, rows, { width, color, named }).trimEnd();
}

function changeText({ from, to }: SharedFact): string {
  if (typeof from !== "number" || typeof to !== "number" || from === to) return "";
  const change = to - from;
  return `${change > 0 ? "+" : ""}${formatNumber(change)}`;
}

/** Commits, files, and the diff itself. */
function sourceText({ source }: RunDiff, { color }: CliContext, all: boolean): string {
  const { bold, dim, cyan, green, red } = createColors(color);
  if (typeof source === "string") return `${bold("source")}  ${dim(source)}`;
  if (source.files.length === 0) return `${bold("source")}  ${dim("the same")}`;
  const commits = source.commits.map(({ commit, subject }) =>
    onOneLine(`  ${commit.slice(0, 7)} ${subject}`),
  );
  const files = source.files.map(({ status, file }) => onOneLine(`  ${status} ${file}`));
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
