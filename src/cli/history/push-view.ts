/** @file What `afterlog push` is about to send, and what it holds back. Pure. */
import type { PreparedRuns } from "../../app/index.ts";
import type { PushContents, SecretFile } from "../../store/index.ts";
import type { CliContext } from "../context.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";
import type { TableOptions } from "../terminal/text-table.ts";
import { renderTable } from "../terminal/text-table.ts";

/** Runs and files that are listed; of more only how many. */
const SHOWN = 8;

const left = (title: string) => ({ title, align: "left" }) as const;
const right = (title: string) => ({ title, align: "right" }) as const;

/** A row for each run, and the sums. */
export function pushText(
  { runs, annotations, held, commits, tracked }: PushContents,
  {
    remote,
    ...layout
  }: Pick<TableOptions, "width" | "color" | "named"> & { readonly remote: string },
): string {
  const said =
    annotations === 0
      ? []
      : [`  said of runs: ${formatCount(annotations)} of tags, notes, names and alerts`];
  said.push(...heldLines(held, layout.color));
  if (runs.length === 0) return said.length === 0 ? "" : `to ${remote}:\n${said.join("\n")}\n`;
  const rows = runs
    .slice(0, SHOWN)
    .map(({ run, kind, bytes, version }) => [
      run,
      kind,
      formatBytes(bytes),
      version?.commit.slice(0, 7) ?? "",
      version === null ? "" : formatCount(version.files),
      version === null ? "" : formatBytes(version.bytes),
    ]);
  const columns = [
    left("RUN"),
    left("KIND"),
    right("LOG"),
    left("VERSION"),
    right("FILES"),
    right("BYTES"),
  ];
  const table = renderTable(columns, rows, { ...layout, width: layout.width - 2 });
  const more = runs.length - SHOWN;
  const versions = runs.flatMap(({ version }) => version ?? []);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const files = sum(versions.map((one) => one.files));
  const lines = [
    `to ${remote}:`,
    ...table
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${formatCount(more)} more`] : []),
    `  logs: ${counted(runs.length, "run")}, ${formatBytes(sum(runs.map(({ bytes }) => bytes)))}`,
    `  versions: ${formatCount(versions.length)}, with ${counted(files, "file")} that no commit has, ${formatBytes(sum(versions.map((one) => one.bytes)))}`,
    ...commitLines(commits, remote),
    ...said,
    "  checkpoints: none, they stay here",
    ...trackedLines(tracked, layout.color),
  ];
  return `${lines.map(onOneLine).join("\n")}\n`;
}

function commitLines(commits: number | null, remote: string): string[] {
  if (commits === 0) return [];
  const which =
    commits === null
      ? "those that the runs were made on"
      : `${formatCount(commits)} that no branch of ${remote} has`;
  return [`  commits: ${which}`];
}

function heldLines(held: PushContents["held"], color: boolean): string[] {
  const { yellow } = createColors(color);
  return held.map(({ run, file, what }) => {
    return `  ${yellow("!")} said of ${run}, and stays here: ${file} (${what})`;
  });
}

function trackedLines(tracked: readonly SecretFile[], color: boolean): string[] {
  if (tracked.length === 0) return [];
  const { yellow } = createColors(color);
  const look = tracked.length === 1 ? "looks like a secret and is" : "look like secrets and are";
  return [`${yellow("!")} ${filesText(tracked)} ${look} in these commits: git has it already`];
}

/** Each run that is held back, and the ways out. */
export function secretsText(
  { secrets, allow }: Pick<PreparedRuns, "secrets" | "allow">,
  { context, remote }: { readonly context: CliContext; readonly remote: string },
): string {
  const runs = Object.entries(secrets);
  if (runs.length === 0) return "";
  const { red } = createColors(context.errColor);
  const shown = runs.slice(0, SHOWN).map(([run, files]) => {
    const ofVersion = files.filter(({ inLog }) => inLog !== true);
    const ofLog = files.filter(({ inLog }) => inLog === true);
    const held = [
      ...(ofVersion.length > 0 ? [`its version holds ${filesText(ofVersion)}`] : []),
      ...(ofLog.length > 0 ? [`its log holds ${filesText(ofLog)}`] : []),
    ];
    return `${red("✘")} ${run} is not sent: ${held.join("; ")}`;
  });
  const more = runs.length - SHOWN;
  const lines = [
    ...shown,
    ...(more > 0 ? [`… and ${formatCount(more)} more`] : []),
    `  help: if that is no secret, say so:  ${allow ?? ""}`,
    ...(runs.some(([, files]) => files.some(({ inLog }) => inLog !== true))
      ? [
          `  help: else take it out of these versions here:  afterlog push ${remote} --without-secrets`,
        ]
      : []),
    ...(runs.some(([, files]) => files.some(({ inLog }) => inLog === true))
      ? ["  help: a log never changes: leave such a run here, or remove it:  afterlog rm RUN"]
      : []),
  ];
  return lines.map((line) => `${onOneLine(line)}\n`).join("");
}

function filesText(files: readonly SecretFile[]): string {
  const named = files.slice(0, SHOWN).map(({ file, what }) => `${file} (${what})`);
  const more = files.length - SHOWN;
  return named.join(", ") + (more > 0 ? ` and ${formatCount(more)} more` : "");
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}
