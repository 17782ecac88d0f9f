/**
 * @file What `afterlog run` says at the end: iterations, checkpoints, overhead, sparklines.
 */
import type { StatusLine } from "../../format/index.ts";
import { formatBytes, formatDuration, formatNumber } from "../terminal/format-units.ts";
import { sparkline } from "../terminal/sparkline.ts";
import { createColors } from "../terminal/terminal-edge.ts";

type End = Extract<StatusLine, { kind: "end" }>;

const METRICS_SHOWN = 6;

/** The closing lines; `end` is absent when the program was killed before it could say so. */
export function runSummary(facts: {
  readonly run: string;
  readonly end: End | undefined;
  readonly signal: string | null;
  readonly color: boolean;
  /** As the user would name it. */
  readonly program: string;
}): string {
  const { run, end, signal, color, program } = facts;
  const { green, red, yellow, dim } = createColors(color);
  const lines: string[] = [];
  const by = signal === null ? "" : ` by ${signal}`;
  const interrupted = `${yellow("■")} interrupted${by}`;
  if (!end) lines.push(`${interrupted}: what was logged is kept`);
  else if (end.status === "done") lines.push(`${green("✔")} ${headline(end)}`);
  else if (end.status === "failed") lines.push(`${red("✘")} failed after ${headline(end)}`);
  else lines.push(`${interrupted} after ${headline(end)}`);
  const metrics = (end?.metrics ?? []).slice(0, METRICS_SHOWN);
  const shown = metrics.map(({ name, points, last }) => {
    const line = points.length > 1 ? `  ${dim(sparkline(points))}` : "";
    return `${name}${line}  ${formatNumber(Number(last))}`;
  });
  if (shown.length > 0) lines.push(`  ${shown.join("     ")}`);
  for (const hint of end?.hints ?? []) lines.push(`  ${yellow("!")} ${hint}`);
  const canResume = !end || end.status === "interrupted";
  if (canResume) lines.push(dim(`  resume:  afterlog run --resume=${run} ${program}`));
  lines.push(dim(`  afterlog show ${run}`));
  return `${lines.join("\n")}\n`;
}

/** What is not in the percentage is said from here on. */
const APART_MS_MIN = 100;

function headline({ loops, overhead }: End): string {
  const counts = Object.entries(loops).map(([loop, count]) => `${count} × ${loop}`);
  const { checkpoints, bytes, share, budget, runMs } = overhead;
  const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
  const limit = budget === null ? "no budget" : `budget ${percent(budget)}`;
  const what = counts.length > 0 ? `${counts.join(", ")} in ` : "";
  const parts = [
    ["start", overhead.setupMs],
    ["wait at the end", overhead.endMs],
  ] as const;
  const said = parts.filter(([, ms]) => ms >= APART_MS_MIN);
  const words = said.map(([part, ms]) => `${part} ${formatDuration(ms)}`).join(", ");
  const beyond = words === "" ? "" : ` · beyond that: ${words}`;
  const kept =
    checkpoints === 0
      ? "no checkpoints"
      : `${checkpoints} ${checkpoints === 1 ? "checkpoint" : "checkpoints"} ${formatBytes(bytes)}`;
  return `${what}${formatDuration(runMs)} · ${kept} · overhead ${percent(share)} (${limit})${beyond}`;
}
