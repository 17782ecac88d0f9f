/**
 * @file A name that no run has logged, but the working tree logs: its cells are NULL, and what it
 * would take to fill them is offered: for most users the way into hindsight. On standard
 * error, so that it is never part of the data.
 */
import pc from "picocolors";
import type { Question } from "../catalog/index.ts";
import { readAbsent } from "../catalog/index.ts";
import type { Plan } from "../format/index.ts";
import { isAfterlogError } from "../format/index.ts";
import type { CliContext } from "./context.ts";
import { formatCount, formatDuration } from "./format-units.ts";
import { withCatalog } from "./project.ts";
import { askPlan } from "./question.ts";

/**
 * Does the work; if it fails over names that no run knows and the working tree logs, it is done
 * again with these as `absent`, and their plan is offered.
 */
export async function withAbsent<T>(
  context: CliContext,
  question: Question,
  work: (absent: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await work([]);
  } catch (error) {
    if (!isAfterlogError(error) || !["AL020", "AL021"].includes(error.code)) throw error;
    const unknown = await unknownNames(context, question);
    const offer = await planOf(context, unknown, question.where);
    if (!offer) throw error;
    const result = await work(offer.names);
    context.err(offerText(offer, context.errColor));
    return result;
  }
}

/** Offers to fill these names, if a statement logs them; answers those that nobody knows. */
export async function offerNames(
  context: CliContext,
  names: readonly string[],
  where: string | undefined,
): Promise<readonly string[]> {
  const offer = await planOf(context, names, where);
  if (offer) context.err(offerText(offer, context.errColor));
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
  const offer = await planOf(context, names, where);
  if (!offer || offer.plan.runs.length === 0) return;
  const ways = wayText(offer.plan, offer.names, offer.where);
  context.err(`⋯ ${ways.join("\n  ")}\n`);
}

async function unknownNames(context: CliContext, question: Question): Promise<string[]> {
  try {
    return await withCatalog(context, ({ connection }) => readAbsent(connection, question));
  } catch (error) {
    // What cannot be parsed was refused with a better message already.
    if (isAfterlogError(error)) return [];
    throw error;
  }
}

interface Offer {
  readonly names: readonly string[];
  readonly plan: Plan;
  readonly where: string | undefined;
}

/** The plan for those of the names that a statement logs; undefined if there is none. */
async function planOf(
  context: CliContext,
  names: readonly string[],
  where: string | undefined,
): Promise<Offer | undefined> {
  if (names.length === 0) return undefined;
  try {
    const options = where === undefined ? {} : { where };
    return { names, where, plan: await askPlan(context, names, options) };
  } catch (error) {
    if (!isAfterlogError(error)) throw error;
    // The condition may be about loops in which the statement does not stand.
    if (error.code === "AL020" && where !== undefined) return planOf(context, names, undefined);
    // Nothing logs one of them: that is found before anything is planned.
    const { name: unknown, close } = error.data;
    if (error.code !== "AL021" || !names.some((name) => name === unknown)) return undefined;
    // In SQL the case of letters does not matter.
    const isSame = String(close).toLowerCase() === String(unknown).toLowerCase();
    const others = names.flatMap((name) =>
      name !== unknown ? [name] : isSame ? [String(close)] : [],
    );
    return planOf(context, others, where);
  }
}

/**
 * `⋯ f1_ped was never logged. It is in your working tree at train.ts:61.` and what it would take to
 * have it.
 */
function offerText({ names, plan, where }: Offer, color: boolean): string {
  const { bold } = pc.createColors(color);
  const lines = names.map((name) => {
    const statement = plan.statements.find((one) => one.name === name);
    const version = statement?.version;
    const at = version === undefined ? "your working tree" : `version ${version.slice(0, 7)}`;
    const place = statement ? ` It is in ${at} at ${statement.file}:${statement.line}.` : "";
    return `⋯ ${bold(name)} was never logged.${place}`;
  });
  const ways = wayText(plan, names, where).map((line) => `  ${line}`);
  return `${[...lines, ...ways].join("\n")}\n`;
}

/** How they can be filled; why not, if they cannot. */
function wayText(plan: Plan, names: readonly string[], where: string | undefined): string[] {
  const { runs, review, left_out: leftOut } = plan;
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

/** A word as a shell takes it. */
function shellWord(text: string): string {
  if (/^[\w.:/=-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
