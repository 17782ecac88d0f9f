/**
 * @file A name that no run has logged, but the working tree logs: its cells are NULL, and what it
 * would take to fill them is offered. This is the entry into hindsight.
 */
import type { ColumnQuestion } from "../../catalog/index.ts";
import { nameOfColumn, readAbsent } from "../../catalog/index.ts";
import type { Plan } from "../../format/index.ts";
import { isAfterlogError } from "../../format/index.ts";
import { makePlan } from "./plan.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";

/** What it takes to fill cells of these names. */
export interface Offer {
  /** As columns; the plan has them as they are logged. */
  readonly names: readonly string[];
  readonly plan: Plan;
  /** The condition that the plan is limited to. */
  readonly where: string | undefined;
}

/**
 * Does the work; if it fails over names that no run knows and the working tree logs, it is done
 * again with these as `absent`, and their plan is the offer.
 */
export async function withAbsent<T>(
  ports: Ports,
  question: ColumnQuestion,
  work: (absent: readonly string[]) => Promise<T>,
): Promise<{ readonly value: T; readonly offer: Offer | undefined }> {
  try {
    return { value: await work([]), offer: undefined };
  } catch (error) {
    if (!isAfterlogError(error) || !["AL020", "AL021"].includes(error.code)) throw error;
    const unknown = await unknownNames(ports, question);
    const offer = await makeOffer(ports, unknown, question.where);
    if (!offer) throw error;
    return { value: await work(offer.names), offer };
  }
}

async function unknownNames(ports: Ports, question: ColumnQuestion): Promise<string[]> {
  try {
    return await withCatalog(ports, ({ connection }) => readAbsent(connection, question));
  } catch (error) {
    // What cannot be parsed was refused with a better message already.
    if (isAfterlogError(error)) return [];
    throw error;
  }
}

/** The plan for those of the names that a statement logs; undefined if there is none. */
export async function makeOffer(
  ports: Ports,
  names: readonly string[],
  where: string | undefined,
): Promise<Offer | undefined> {
  if (names.length === 0) return undefined;
  try {
    const plan = await makePlan(ports, { names: names.map(nameOfColumn), where });
    const { runs, review, left_out: leftOut } = plan;
    // The condition may be about loops in which the statement does not stand.
    const isNowhere = runs.length + review.length + leftOut.length === 0;
    if (isNowhere && where !== undefined) return await makeOffer(ports, names, undefined);
    return { names, where, plan };
  } catch (error) {
    if (!isAfterlogError(error)) throw error;
    if (error.code === "AL020" && where !== undefined) return makeOffer(ports, names, undefined);
    // Nothing logs one of them: that is found before anything is planned.
    const { name: unknown, close } = error.data;
    if (error.code !== "AL021" || !names.some((name) => nameOfColumn(name) === unknown))
      return undefined;
    // In SQL the case of letters does not matter.
    const isSame = String(close).toLowerCase() === String(unknown).toLowerCase();
    const others = names.flatMap((name) =>
      nameOfColumn(name) !== unknown ? [name] : isSame ? [String(close)] : [],
    );
    return makeOffer(ports, others, where);
  }
}
