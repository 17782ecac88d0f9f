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

/** A field of the body that has to be a text. */
export async function textOf(context: Context, field: string, example: string): Promise<string> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const value = typeof body === "object" && body !== null ? Reflect.get(body, field) : undefined;
  if (typeof value === "string") return value;
  throw new AfterlogError("AL001", `${field} is missing`, {
    help: [`send  ${JSON.stringify({ [field]: example })}`],
  });
}

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
