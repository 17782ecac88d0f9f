/** @file `afterlog show RUN`: one run at a glance. */
import type { FoundLoops, ShownRun } from "../../app/read.ts";
import { showRun, valueOf } from "../../app/read.ts";
import type { Metric, SqlRow, RunDetails } from "../../catalog/index.ts";
import { shownPath } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatShare,
  formatTime,
} from "../terminal/format-units.ts";
import { displayText } from "../terminal/output.ts";
import { portsOf } from "../command-ports.ts";
import { leftAloneLines, loopLines, unseenCallLines } from "./show-loops.ts";
import { sparkline } from "../terminal/sparkline.ts";
import { textWidth } from "../terminal/text-table.ts";
import type { Colors } from "../terminal/terminal-edge.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

/** Prints a run. */
export async function showCommand(
  context: CliContext,
  reference: string,
  { part }: OptionsOf<"show"> = {},
): Promise<number> {
  if (part !== undefined)
    return (await import("./show-part.ts")).showPart(context, reference, part);
  const shown = await showRun(portsOf(context), reference);
  if (context.json) context.out(`${JSON.stringify(shown.report, undefined, 2)}\n`);
  else context.out(new Overview(context, shown).text());
  return 0;
}

const STATUS_SIGNS: Readonly<{ [status: string]: string }> = {
  done: "✔",
  failed: "✘",
  interrupted: "■",
  recording: "●",
};

class Overview {
  readonly #context: CliContext;
  readonly #details: RunDetails;
  readonly #lost: ShownRun["lost"];
  readonly #lostMostMs: ShownRun["lostMostMs"];
  readonly #elsewhere: ShownRun["elsewhere"];
  readonly #received: ShownRun["received"];
  readonly #found: FoundLoops | undefined;
  readonly #byValue: ShownRun["byValue"];
  readonly #given: ShownRun["differs"];
  readonly #colors: Colors;

  constructor(context: CliContext, shown: ShownRun) {
    const { details, lost, lostMostMs, found, byValue, differs } = shown;
    this.#context = context;
    this.#details = details;
    this.#lost = lost;
    this.#lostMostMs = lostMostMs;
    this.#elsewhere = shown.elsewhere;
    this.#received = shown.received;
    this.#found = found;
    this.#byValue = byValue;
    this.#given = differs;
    this.#colors = createColors(context.color);
  }

  text(): string {
    const facts = [
      ["program", this.#program()],
      ["started", this.#started()],
      ["version", this.#version()],
      ["args", this.#args()],
      ["checkpoints", this.#checkpoints()],
      ["recovery", this.#recovery()],
      ["overhead", this.#overhead()],
      ["tags", this.#tags()],
      ["note", this.#field("note")],
      ["alerts", this.#alerts()],
      ["seed", this.#field("seed")],
      ["host", this.#field("host")],
      ["pulled", this.#pulled()],
      ["parent", this.#parent()],
      ["differs", this.#differs()],
      ["replays", this.#details.replays.join(", ")],
    ].filter(([, text]) => text !== "");
    const lines = facts.map(([label = "", text = ""]) => {
      return `${this.#colors.dim(label.padEnd(11))}  ${text}`;
    });
    const parts = [this.#headline(), ...lines, ...this.#loops(), ...this.#metrics()];
    return `${[...parts, ...this.#problems()].map(onOneLine).join("\n")}\n`;
  }

  #field(column: string): string {
    const value = this.#details.run[column];
    if (typeof value === "string") return value;
    return typeof value === "number" ? String(value) : "";
  }

  #tags(): string {
    const { tags, hidden } = this.#details.run;
    const words = Array.isArray(tags) ? tags.map(String) : [];
    return [...words, ...(hidden === true ? [this.#colors.dim("(hidden from ls)")] : [])].join(" ");
  }

  /** `low at epoch=3 (f1 < 0.4)`. */
  #alerts(): string {
    const fired = this.#details.alerts.map(({ alert, path, condition }) => {
      const where = path === "" ? "" : ` at ${String(path)}`;
      return `${String(alert)}${where} (${String(condition)})`;
    });
    return this.#colors.yellow(fired.join(", "));
  }

  #parent(): string {
    const point = this.#field("point");
    return this.#field("parent") + (point === "" ? "" : `@${shownPath(point, this.#byValue)}`);
  }

  /** What a fork was given that its parent was not. */
  #differs(): string {
    const { args = [], data = [], sources = [] } = this.#given ?? {};
    const parts = [
      ...args.map(({ name, from, to }) => `${name} ${displayText(from)} → ${displayText(to)}`),
      ...data.map(({ name, from, to }) => {
        return name + (from === null ? " (new)" : to === null ? " (not read)" : " (other content)");
      }),
      ...sources,
    ];
    return this.#given && parts.length === 0 ? "nothing" : parts.join(", ");
  }

  #headline(): string {
    const { bold, green, red, yellow } = this.#colors;
    const status = this.#field("status");
    const paint = status === "done" ? green : status === "failed" ? red : yellow;
    const name = this.#field("name");
    const sign = STATUS_SIGNS[status] ?? "?";
    const exit = this.#field("exit_code");
    const signal = this.#field("signal");
    const how =
      signal !== "" ? ` (${signal})` : exit !== "" && exit !== "0" ? ` (exit code ${exit})` : "";
    const run = this.#field("run");
    const title = name === "" ? bold(run) : `${bold(name)} (id ${run})`;
    return `${title}  ${paint(`${sign} ${status}${how}`)}`;
  }

  #program(): string {
    const argv = this.#details.run["argv"];
    const words = Array.isArray(argv) ? argv.map(String) : [];
    const command = [this.#field("filename"), ...words].filter((word) => word !== "").join(" ");
    return this.#found
      ? `${command}  ${this.#colors.dim("(hands-free: its loops were found)")}`
      : command;
  }

  #started(): string {
    const { started, seconds } = this.#details.run as { started?: unknown; seconds?: unknown };
    const time = started instanceof Date ? formatTime(started) : "";
    return typeof seconds === "number" ? `${time}, took ${formatDuration(seconds * 1000)}` : time;
  }

  #version(): string {
    const commit = this.#field("commit");
    if (commit === "") return "";
    const dirty = Number(this.#details.run["dirty"] ?? 0);
    const branch = this.#field("branch");
    return [
      commit.slice(0, 7),
      ...(branch === "" ? [] : [`on ${branch}`]),
      ...(dirty > 0 ? [`+ ${dirty} uncommitted file${dirty === 1 ? "" : "s"}`] : []),
    ].join(" ");
  }

  #args(): string {
    return this.#details.args
      .map((arg) => {
        const given = arg["from"] === "default" ? "" : this.#colors.dim(" (given)");
        return `${String(arg["name"])}=${displayText(valueOf(arg))}${given}`;
      })
      .join("  ");
  }

  #pulled(): string {
    if (!this.#received) return "";
    const { remote, address, atMs } = this.#received;
    const where = remote === address ? remote : `${remote} (${address})`;
    return `from ${where}, ${formatTime(new Date(atMs))}`;
  }

  #checkpoints(): string {
    const list = this.#details.checkpoints;
    const newest = list.at(-1);
    if (newest === undefined) {
      const { count = 0, host } = this.#elsewhere ?? {};
      return count === 0 ? "none" : `${formatCount(count)}, on ${host}, not here`;
    }
    const bytes = list.reduce((sum, row) => sum + Number(row["bytes"]), 0);
    return `${formatCount(list.length)}, ${formatBytes(bytes)}, newest ${describePlace(newest, this.#byValue)}`;
  }

  /** What an interruption costs: now, and at the worst moment so far (CheckFreq §6.2.2). */
  #recovery(): string {
    const status = this.#field("status");
    const most =
      this.#lostMostMs === undefined ? "" : `at most ${formatDuration(this.#lostMostMs)}`;
    if (!this.#lost) return most === "" ? "" : `${most} of work at stake at any moment`;
    const { iterations, ms } = this.#lost;
    const some = iterations === 1 ? "1 iteration" : `${formatCount(iterations)} iterations`;
    const worst = most === "" ? "" : ` (${most} at any moment)`;
    const lost = `${some}, ${formatDuration(ms)} of work lost${worst}`;
    if (status === "recording") return `killed now: ${lost}`;
    const command = `afterlog run --resume=${this.#field("run")} ${this.#field("filename")}`;
    return `${lost}; resume:  ${command}`;
  }

  #overhead(): string {
    const { overhead, budget } = this.#details.run as { overhead?: unknown; budget?: unknown };
    if (typeof overhead !== "number") return "";
    if (typeof budget !== "number") return formatShare(overhead);
    const word = overhead > budget ? ", more than the budget" : " of a budget";
    return `${formatShare(overhead)}${word} of ${formatShare(budget)}`;
  }

  #loops(): string[] {
    const { dim } = this.#colors;
    const lines = loopLines(this.#details, this.#found);
    const left = leftAloneLines(this.#found);
    const calls = unseenCallLines(this.#details);
    return [
      ...(lines.length === 0 ? [] : ["", dim("loops"), ...lines]),
      ...(left.length === 0 ? [] : ["", dim("loops that are not recorded"), ...left]),
      ...(calls.length === 0 ? [] : ["", dim("long calls whose inside is not seen"), ...calls]),
    ];
  }

  #metrics(): string[] {
    const { metrics } = this.#details;
    if (metrics.length === 0) return [];
    const { dim, green } = this.#colors;
    const lasts = metrics.map((metric) => displayText(valueOf({ ...metric })));
    const names = widestText(metrics.map((metric) => metric.name));
    const values = Math.min(24, widestText(lasts));
    const lines = metrics.map((metric, at) => {
      const last = lasts[at] ?? "";
      const cut = textWidth(last) > this.#context.columns / 2 ? `${last.slice(0, 40)}…` : last;
      const line = metric.count > 1 ? sparkline(metric.points, 24) : "";
      const marks = Object.keys(metric.checks).join(", ");
      const origin = marks === "" ? "" : green(`  hindsight: ${marks}`);
      const parts = [
        metric.name + " ".repeat(names - textWidth(metric.name)),
        " ".repeat(Math.max(0, values - textWidth(cut))) + cut,
        line.padEnd(24),
        dim(describeMetric(metric)) + origin,
      ];
      return `  ${parts.join("  ").trimEnd()}`;
    });
    return ["", dim("logged (last value)"), ...lines];
  }

  #problems(): string[] {
    const { run } = this.#details;
    const { yellow, red } = this.#colors;
    const off = typeof run["off"] === "string" ? (JSON.parse(run["off"]) as unknown[]) : [];
    const turnedOff = off.map((item) => {
      const { feature, why } = item as { feature?: unknown; why?: unknown };
      return { feature: String(feature), why: String(why) };
    });
    // The recorder warned of each of them as well.
    const said = new Set(turnedOff.map(({ feature, why }) => `${feature} turned off: ${why}`));
    const warnings = Array.isArray(run["warnings"]) ? run["warnings"].map(String) : [];
    const lines = [
      ...turnedOff.map(({ feature, why }) => `${yellow("!")} ${feature} turned off: ${why}`),
      ...warnings
        .filter((warning) => !said.has(warning))
        .map((warning) => `${yellow("!")} ${warning}`),
      ...this.#field("damaged")
        .split("; ")
        .filter((text) => text !== "")
        .map((text) => `${red("✘")} damaged: ${text}`),
    ];
    return lines.length === 0 ? [] : ["", ...lines];
  }
}

function widestText(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}

function describePlace(checkpoint: SqlRow, byValue: ShownRun["byValue"]): string {
  const path = String(checkpoint["path"]);
  return path === "" ? "at the top level" : shownPath(path, byValue);
}

function describeMetric({ count, loops }: Metric): string {
  const where = loops.length === 0 ? "at the top level" : `in ${loops.join(" / ")}`;
  return count === 1 ? where : `${formatCount(count)} ${where}`;
}
