/**
 * @file `afterlog where NAME [VERSION]`: where a statement lands in each past version, and what the
 * user decides about it. Versions in which it lands alike are shown once.
 */
import type { LandingDecision, ShownLandings } from "../../app/index.ts";
import { decideLanding, forgetDecisions, showLandings } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import { explainedLines } from "../commands/topics.ts";
import type { CliContext } from "../context.ts";
import { editText } from "../terminal/edit-text.ts";
import { portsOf } from "../command-ports.ts";
import { groupsText, statementText } from "./where-view.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

type WhereOptions = OptionsOf<"where">;

export async function whereCommand(
  context: CliContext,
  [name, version]: readonly [string, string | undefined],
  options: WhereOptions,
): Promise<number> {
  const ports = portsOf(context);
  const { bring } = options;
  const decision = decisionOf(context, options);
  if (decision) {
    show(context, await decideLanding(ports, { name, version, bring }, decision));
    return 0;
  }
  const landings = await showLandings(ports, { name, version, bring });
  sayDropped(context, landings);
  forgetDecisions(ports, landings.dropped);
  show(context, landings);
  return 0;
}

/** What the options decide; undefined: nothing. */
function decisionOf(context: CliContext, options: WhereOptions): LandingDecision | undefined {
  const { accept, at, edit, exclude, forget } = options;
  const isPlacing = at !== undefined || edit !== undefined;
  const chosen = [accept, isPlacing, exclude, forget].filter(Boolean);
  if (chosen.length > 1) {
    throw new AfterlogError("AL001", "decide one thing at a time", {
      help: ["one of  --accept, --at and --edit, --exclude, --forget"],
    });
  }
  if (accept) return { kind: "accept" };
  if (exclude) return { kind: "exclude" };
  if (forget) return { kind: "forget" };
  if (!isPlacing) return undefined;
  const text = edit === true ? (shown: string): string => editText(context, shown) : edit;
  return { kind: "place", ...placeOf(at), ...(text === undefined ? {} : { text }) };
}

function placeOf(at: string | undefined): { file?: string; line?: number } {
  if (at === undefined) return {};
  const [, file, line] = /^(?:(.+):)?(\d+)$/.exec(at) ?? [];
  if (line === undefined) {
    throw new AfterlogError("AL001", `--at ${at} is not a line`, {
      help: ["a line of the older file:  --at 52  or  --at FILE:52"],
    });
  }
  return { line: Number(line), ...(file === undefined ? {} : { file }) };
}

function show(context: CliContext, { report, groups, commit }: ShownLandings): void {
  if (context.json) {
    context.out(`${JSON.stringify(report, undefined, 2)}\n`);
    return;
  }
  const { color, columns } = context;
  if (commit === undefined) context.out(statementText(report.statements, color));
  context.out(groupsText(report.name, groups, { commit, color, columns }));
  if (!context.isTTY) return;
  const verdicts = groups.map(({ verdict }) => verdict);
  for (const line of explainedLines("landings", verdicts, columns)) {
    context.out(`${createColors(color).dim(line)}\n`);
  }
}

/** A decision that holds no more is said once. */
function sayDropped(context: CliContext, { dropped }: ShownLandings): void {
  for (const { name, file, choice } of dropped) {
    const what = choice.kind === "exclude" ? "leaving out" : "the place of";
    context.err(
      `dropped: ${what} ${onOneLine(`${name} in ${file}`)}: the statement or that file is another now\n`,
    );
  }
}
