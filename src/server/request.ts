/** @file What a request says, held against what it may say. */
import type { Context } from "hono";
import { AfterlogError } from "../format/index.ts";

/** A page is long gone before it has missed so many columns. */
const LISTED_MAX = 500;

/** `names=accuracy,f1`: each encoded by itself, as a name may hold a comma. */
export function listOf(context: Context, parameter: "names" | "runs"): string[] {
  const [, query = ""] = new RegExp(`[?&]${parameter}=([^&]*)`).exec(context.req.url) ?? [];
  const words = query.split(",").filter((word) => word !== "");
  const list = words.map(decoded);
  if (list.length <= LISTED_MAX) return list;
  const what = parameter === "names" ? "columns" : "runs";
  throw new AfterlogError("AL001", `${list.length} ${what} are asked for at once`, {
    help: [`ask for ${LISTED_MAX} at most, and again for the others`],
  });
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new AfterlogError("AL001", `${word} is no name`, {
      help: ["encode each name by itself, as encodeURIComponent does"],
    });
  }
}

/** Texts and numbers of the body: those that have to be there, and those that are something else if they are not. */
export async function bodyOf<
  Needed extends Fields<string>,
  Other extends Fields<string | number | boolean>,
>(context: Context, example: Needed, otherwise: Other): Promise<Needed & Other> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const given: Partial<Fields<unknown>> = typeof body === "object" && body !== null ? body : {};
  const wrong = Object.entries({ ...example, ...otherwise }).find(([field, like]) => {
    const isMissing = given[field] === undefined && field in otherwise;
    return !isMissing && typeof given[field] !== typeof like;
  });
  if (!wrong) return { ...otherwise, ...given } as Needed & Other;
  const [field, like] = wrong;
  const what = field in given ? `is no ${typeof like}` : "is missing";
  throw new AfterlogError("AL001", `${field} ${what}`, {
    help: [`send  ${JSON.stringify({ ...example, [field]: like })}`],
  });
}

type Fields<Value> = Readonly<{ [name: string]: Value }>;

/** A parameter that has to be a number, if it is there. */
export function numberOf(context: Context, parameter: string, otherwise: number): number {
  const text = context.req.query(parameter) ?? "";
  if (text === "") return otherwise;
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  throw new AfterlogError("AL001", `${parameter}=${text} is no number`, {
    help: [`send a number, or leave it out:  ${parameter}=0`],
  });
}
