/**
 * @file What it would take to fill cells that nobody logged, as a person reads it. On standard error,
 * so that it is never part of the data.
 */
import type { Offer } from "../../app/read.ts";
import { makeOffer } from "../../app/read.ts";
import type { Plan } from "../../format/index.ts";
import type { CliContext } from "../context.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { formatCount, formatDuration } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { createColors } from "../terminal/terminal-edge.ts";

/** Says what a name would take that no run has logged. */
export function printOffer(context: CliContext, offer: Offer | undefined): void {
  if (offer) context.err(offerText(offer, context.errColor));
}

/** Offers to fill these names, if a statement logs them; answers those that nobody knows. */
export async function offerNames(
  context: CliContext,
  names: readonly string[],
  where: string | undefined,
): Promise<readonly string[]> {
  const offer = await makeOffer(portsOf(context), names, where);
  printOffer(context, offer);
  return names.filter((name) => !offer?.names.includes(name));
}

/**
 * Offers to fill cells of names that other runs have. Only to a person: a plan takes a moment, and
 * whoever reads a pipe has asked for the values that there are.
 */
export async function offerCells(
  context: CliContext,
  names: readonly string[],
  where: string | undefined,
): Promise<void> {
  if (!context.isTTY || context.json) return;
  const offer = await makeOffer(portsOf(context), names, where);
  if (!offer || offer.plan.runs.length === 0) return;
  const ways = wayText(offer.plan, offer.where);
  context.err(`⋯ ${ways.join("\n  ")}\n`);
}

/**
 * `⋯ f1_ped was never logged. It is in your working tree at train.ts:61.` and what it would take to
 * have it.
 */
function offerText({ plan, where }: Offer, color: boolean): string {
  const { bold } = createColors(color);
  const lines = plan.names.map((name) => {
    const statement = plan.statements.find((asked) => asked.name === name);
    const version = statement?.version;
    const at = version === undefined ? "your working tree" : `version ${version.slice(0, 7)}`;
    const place = statement ? ` It is in ${at} at ${statement.file}:${statement.line}.` : "";
    return `⋯ ${bold(name)} was never logged.${place}`;
  });
  const ways = wayText(plan, where).map((line) => `  ${line}`);
  return `${[...lines, ...ways].join("\n")}\n`;
}

/** How they can be filled; why not, if they cannot. */
function wayText(plan: Plan, where: string | undefined): string[] {
  const { names, runs, review, left_out: leftOut } = plan;
  const words = names.map(shellWord).join(" ");
  const command = where === undefined ? words : `${words} -w ${shellWord(where)}`;
  const time = formatDuration(plan.seconds * 1000);
  const isPlain = plan.statements.every(({ loops }) => loops.length === 0);
  const cells = `${formatCount(runs.length)} ${isPlain ? "cell" : "run"}${runs.length === 1 ? "" : "s"}`;
  const some = `${formatCount(review.length)} run${review.length === 1 ? "" : "s"}`;
  const look = `${some} more after a look at where it lands:  afterlog where ${words}`;
  const looks = review.length === 0 ? [] : [look];
  if (runs.length > 0) {
    return [`${cells} can be filled in about ${time}:  afterlog replay ${command}`, ...looks];
  }
  const [first] = leftOut;
  if (looks.length > 0 || !first) return looks;
  return [`no run can answer: ${first.run}: ${first.why}`, `see all:  afterlog plan ${command}`];
}
