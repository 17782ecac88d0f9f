/**
 * @file `afterlog restore RUN[@path] --out FILE`: the tensors of a checkpoint, for other tools; with
 * `--branch NAME` the source of the run as a branch.
 */
import { join } from "node:path";
import type { PlannedBranch, RestoreReport } from "../../app/index.ts";
import { locateCheckpoint, planBranch, restoreCheckpoint } from "../../app/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { isConfirmed } from "../confirm.ts";
import { NEEDS_CONFIRMATION } from "../replaying/watch-replay.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { pathText } from "../terminal/path-text.ts";

type RestoreOptions = OptionsOf<"restore">;

const TENSORS_SHOWN = 12;

export async function restoreCommand(
  context: CliContext,
  reference: string,
  options: RestoreOptions,
): Promise<number> {
  if (options.branch !== undefined) return makeBranch(context, reference, options);
  if (options.out === undefined) return showPlace(context, reference);
  const { out: file, force } = options;
  const report = await restoreCheckpoint(portsOf(context), { reference, file, force });
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else showRestored(context, file, report);
  return 0;
}

function showRestored(context: CliContext, file: string, report: RestoreReport): void {
  const { run, path, bytes, tensors, by_value: byValue, exact } = report;
  const count = `${formatCount(tensors.length)} tensor${tensors.length === 1 ? "" : "s"}`;
  context.out(
    `${file}  ${count}, ${formatBytes(bytes)}: ${run} @ ${pathText(path, byValue)}, verified\n`,
  );
  for (const { name, dtype, shape } of tensors.slice(0, TENSORS_SHOWN)) {
    context.out(`${onOneLine(`  ${name}  ${dtype} [${shape.join(", ")}]`)}\n`);
  }
  const more = tensors.length - TENSORS_SHOWN;
  if (more > 0) context.out(`  … and ${formatCount(more)} more\n`);
  if (!exact) context.err(NEAREST);
}

/** Says what the branch will hold, asks, and says how to go there and how to undo it. */
async function makeBranch(
  context: CliContext,
  reference: string,
  { branch = "", out: file, force, yes }: RestoreOptions,
): Promise<number> {
  const planned = await planBranch(portsOf(context), { reference, branch, file, force });
  if (!context.json) context.out(branchText(planned));
  if (!(await isConfirmed(context, "Make this branch?", yes === true))) {
    context.err("no branch was made\n");
    return context.prompt && !context.json ? 0 : NEEDS_CONFIRMATION;
  }
  const report = await planned.make();
  if (context.json) {
    context.out(`${JSON.stringify(report)}\n`);
    return 0;
  }
  if (file !== undefined && report.restored) showRestored(context, file, report.restored);
  context.out(`branch ${branch} made at ${report.commit.slice(0, SHORT)}\n`);
  const words = shellWord(branch);
  context.err(`go there:  git switch ${words}\nway back:  git branch -D ${words}\n`);
  return 0;
}

const SHORT = 7;
/** Files that are named; more are counted. */
const FILES_SHOWN = 5;

function branchText(planned: PlannedBranch): string {
  const { run, branch, parent, files, bytes, leftOut, large, remote } = planned;
  const on = parent === null ? "without one before it" : `on ${parent.slice(0, SHORT)}`;
  const own =
    files === 0
      ? "no file differs"
      : `${formatCount(files)} file${files === 1 ? " differs" : "s differ"}, ${formatBytes(bytes)}`;
  const lines = [
    `${branch}: the source of ${run}, one commit ${on}: ${own}`,
    "  not in it: what .gitignore names",
    ...namedFiles(
      leftOut.map(({ file, what }) => `${file} (${what})`),
      "look like secrets",
    ),
    ...namedFiles(large, "only their hashes were kept"),
    ...(remote === null ? [] : [`  it came from ${remote}: look at it before you execute it`]),
  ];
  return lines.map((line) => `${onOneLine(line)}\n`).join("");
}

function namedFiles(files: readonly string[], why: string): string[] {
  if (files.length === 0) return [];
  const more = files.length - FILES_SHOWN;
  const named = files.slice(0, FILES_SHOWN).join(", ");
  return [`  not in it: ${named}${more > 0 ? ` and ${formatCount(more)} more` : ""}: ${why}`];
}

const NEAREST = "! the row has no checkpoint of its own: this is the newest before it\n";

/** Without a file to write: which checkpoint it is, and where it lies. */
async function showPlace(context: CliContext, reference: string): Promise<number> {
  const place = await locateCheckpoint(portsOf(context), reference);
  if (context.json) {
    context.out(`${JSON.stringify(place)}\n`);
    return 0;
  }
  const { run, at, exact, folder, checkpoints } = place;
  context.out(`${run}@${at}\n`);
  for (const { file } of checkpoints) context.out(`  ${join(folder, "checkpoints", file)}\n`);
  if (!exact) context.err(NEAREST);
  return 0;
}
