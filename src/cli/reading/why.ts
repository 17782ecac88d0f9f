/** @file `afterlog why RUN NAME [path]`: where a value comes from, and what its mark rests on. */
import type { ValueReport } from "../../app/read.ts";
import { explainValue } from "../../app/read.ts";
import { parsePath } from "../../format/index.ts";
import type { ReplayDirective } from "../../replayer/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatTime } from "../terminal/format-units.ts";
import { partText, rangesText } from "../replaying/plan-view.ts";
import { portsOf } from "../command-ports.ts";
import { describeDifference } from "../replaying/replay-summary.ts";
import { exactValue } from "../replaying/replay-values.ts";
import type { Colors } from "../terminal/terminal-edge.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";
import { pathText } from "../terminal/path-text.ts";

export async function whyCommand(
  context: CliContext,
  run: string,
  name: string,
  path: string | undefined,
): Promise<number> {
  const { report, count } = await explainValue(portsOf(context), { run, name, path });
  if (context.json) {
    context.out(`${JSON.stringify(report, undefined, 2)}\n`);
    return 0;
  }
  context.out(new Explanation(report, context.color).text());
  if (count > 1) {
    const more = `${formatCount(count)} values of ${name}; this is the last`;
    context.err(`${onOneLine(more)}: add a path for another, e.g.  epoch=3\n`);
  }
  return 0;
}

/** Reasons that a user reads. */
const REASONS_MAX = 3;
/** Values of the same cell that a user reads. */
const BEFORE_MAX = 20;

class Explanation {
  readonly #value: ValueReport;
  readonly #colors: Colors;

  constructor(value: ValueReport, color: boolean) {
    this.#value = value;
    this.#colors = createColors(color);
  }

  text(): string {
    const { bold, dim } = this.#colors;
    const { name, run, path, replay } = this.#value;
    const place = pathText(parsePath(path) ?? [], this.#value.by_value);
    const title = `${bold(name)} @ ${place} of ${run}  =  ${bold(exactValue(this.#value.value))}`;
    const facts = [
      ["from", this.#from()],
      ["statement", this.#statement()],
      ["version", this.#version()],
      ...(replay ? this.#replay(replay) : []),
      ...this.#before(replay),
    ].filter(([, text]) => text !== "");
    const lines = facts.map(([label = "", text = ""]) => `${dim(label.padEnd(10))}  ${text}`);
    return `${[title, ...lines].map(onOneLine).join("\n")}\n`;
  }

  #from(): string {
    const { origin, source, replay } = this.#value;
    const when = formatTime(new Date(this.#value.when));
    if (!replay) return `${origin} by the run itself, ${when}`;
    return `${this.#colors.green("hindsight")}: replay ${replay.replay}, ${when}, in ${source}`;
  }

  #statement(): string {
    const { file, line, name, replay } = this.#value;
    if (file === null) return "";
    const known = replay?.statements.find((statement) => {
      return statement.name === name && statement.file === file && statement.line === line;
    });
    return `${file}:${line}${known ? `  ${known.text.split("\n")[0]}` : ""}`;
  }

  #version(): string {
    const { commit, replay } = this.#value;
    if (commit === null) return "not kept";
    return replay ? `${commit.slice(0, 7)}, with the statement added` : commit.slice(0, 7);
  }

  #replay(directive: ReplayDirective): string[][] {
    const { scan, ranges, part, compared, first_difference: first } = directive;
    const { from_checkpoint: from } = directive;
    const { landing } = directive;
    const all = compared.equal + compared.close + compared.different;
    const mark = this.#value.check ?? "unchecked";
    const equal = `${formatCount(compared.equal)} of ${formatCount(all)}`;
    const compares =
      all === 0 ? "nothing was compared" : `${equal} values on the way equal the record`;
    const rests = mark === "restored" ? "it is computed from restored state alone" : compares;
    return [
      ["landing", landing ? `${landing.verdict}: ${landing.reason}` : ""],
      ...(landing?.differs ?? []).map((text) => ["", text]),
      ["scan", `${scan}, ${rangesText(ranges)}`],
      ["of it", part ? partText(part) : ""],
      ["restored", from === null ? "nothing: executed from the start" : from],
      ["gpu", directive.gpu ?? ""],
      ["check", `${this.#paint(mark)}: ${rests}`],
      ["", first === null ? "" : `first difference: ${describeDifference(first)}`],
      ...(mark === "unchecked" ? this.#doubts(directive) : []),
    ];
  }

  /** What the cell was before: the frame shows the last of several. */
  #before(replay: ReplayDirective | null): string[][] {
    const { before = [] } = this.#value;
    const told = before.slice(-BEFORE_MAX).map(({ value, check }) => {
      const mark = replay ? this.#paint(check ?? "unchecked") : "";
      return [exactValue(value), mark].filter((text) => text !== "").join("  ");
    });
    const isUnchecked = before.some(({ check }) => check === "unchecked");
    const more = before.length - told.length;
    return [
      ...(more > 0 ? [`${formatCount(more)} values`, ...told] : told).map((text, at) => [
        at === 0 ? "before it" : "",
        text,
      ]),
      ...(replay && isUnchecked && this.#value.check !== "unchecked" ? this.#doubts(replay) : []),
    ];
  }

  #doubts({ doubts = {} }: ReplayDirective): string[][] {
    const { name } = this.#value;
    const reasons = (Object.hasOwn(doubts, name) && doubts[name]) || [];
    return reasons.slice(0, REASONS_MAX).map((why) => ["", why]);
  }

  #paint(mark: string): string {
    const { green, yellow, red } = this.#colors;
    if (mark === "verified" || mark === "restored") return green(mark);
    return mark === "diverged" ? red(mark) : yellow(mark);
  }
}
