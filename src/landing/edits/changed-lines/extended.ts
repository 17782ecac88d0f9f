/**
 * @file Functions that take more than before, by parameters that may be left out and that only added
 * code reads, and calls that give it. Such a call is the same program only with the function.
 */
import type { ParsedFile, Statement } from "../../../languages/index.ts";
import { definitionsOf } from "./function-names.ts";
import type { Shaped } from "./shapes.ts";

/** What a function takes more than before. */
export type Extended =
  | {
      readonly is: "definition";
      readonly function: string;
      /** Number of parameters before. */
      readonly before: number;
      readonly more: readonly string[];
    }
  | {
      readonly is: "call";
      readonly function: string;
      /** Number of values that were given by their places. */
      readonly before: number;
      /** What is given in addition: by names, or by places. */
      readonly more: readonly (string | null)[];
    };

/** What stands for statements of the older version, without calls whose function does not take that. */
export function takingMore(
  shaped: ReadonlyMap<Statement, Shaped>,
  then: ParsedFile,
): Map<Statement, Shaped> {
  const all = [...shaped.values()].flatMap((one) => one.extended ?? []);
  const groups = new Map<string, object>();
  const fits = (call: Extended): boolean =>
    all.some((one) => {
      if (one.is !== "definition" || one.function !== call.function) return false;
      return call.more.every((name, at) => {
        return name === null
          ? one.before === call.before && at < one.more.length
          : one.more.includes(name);
      });
    });
  const groupOf = (name: string): object => {
    const known = groups.get(name) ?? {};
    groups.set(name, known);
    return known;
  };
  const united = new Map<object, object>();
  const gone = new Set<object>();
  for (const { group, extended = [] } of shaped.values()) {
    for (const one of extended) {
      const isOne = definitionsOf(then, one.function).length === 1;
      if (!isOne || (one.is === "call" && !fits(one))) gone.add(group);
      const known = united.get(group);
      const own = groupOf(one.function);
      if (known && known !== own) gone.add(group);
      united.set(group, own);
    }
  }
  return new Map(
    [...shaped]
      .filter(([, { group }]) => !gone.has(group))
      .map(([statement, one]) => {
        return [statement, { ...one, group: united.get(one.group) ?? one.group }];
      }),
  );
}
