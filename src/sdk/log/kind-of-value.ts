/** @file What something printed is, in words, where it logs nothing. No code of the program is called. */
import { hasTraps } from "../../adapters/index.ts";

/** Of what a call was given: the first that is no number, text or truth value; undefined if none is. */
export function kindOfOdd(args: readonly unknown[]): string | undefined {
  const odd = args.filter((value) => !/^(?:string|number|bigint|boolean)$/.test(typeof value));
  return odd.length === 0 ? undefined : kindOf(odd[0]);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `\`${String(value)}\``;
  if (typeof value === "string") return "a text";
  if (typeof value !== "object") return `a ${typeof value}`;
  if (hasTraps(value)) return "a Proxy";
  if (Array.isArray(value)) return kindOfList(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) {
    return Object.keys(value).length === 0 ? "an empty object" : "an object";
  }
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  const name: unknown =
    typeof maker === "function" &&
    !hasTraps(maker) &&
    Object.getOwnPropertyDescriptor(maker, "name")?.value;
  return typeof name === "string" && name !== "" ? `an object of class ${name}` : "an object";
}

function kindOfList(list: readonly unknown[]): string {
  if (list.length === 0) return "an empty list";
  const odd = list.find((item) => typeof item !== "number");
  if (odd === undefined) return `a list of ${list.length} numbers`;
  if (Array.isArray(odd)) return "a list of lists";
  return `a list that holds ${kindOf(odd)}`;
}
