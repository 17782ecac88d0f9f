/**
 * @file Functions that give back more than before: the same program only if each of their returns does,
 * and each call takes it apart in the same way. All of that is then one change.
 */
import type { ParsedFile, Statement } from "../../../languages/index.ts";
import type { ObjectUses } from "./object-uses.ts";
import { mentionsOfCalled } from "./called-objects.ts";
import { definitionOf, definitionsOf, hasItsOwn, mentionsOf, returnsIn } from "./function-names.ts";
import { ONLY } from "./match-results.ts";
import type { OtherFiles } from "./other-files.ts";
import type { Shaped, Versions, Widened } from "./shapes.ts";

/** What stands for statements of the older version, without what is not the same after all. */
export function agreeing(
  shaped: ReadonlyMap<Statement, Shaped>,
  { then, others, flow }: Pick<Versions, "then" | "others" | "flow">,
): Map<Statement, Shaped> {
  const widened = [...shaped.values()].flatMap((one) => one.widened ?? []);
  const names = new Set(widened.map((one) => one.function));
  const groups = new Map<string, object>();
  for (const name of names) {
    const own = widened.filter((one) => one.function === name);
    const apart = filesApart(name, others, [then.file]);
    if (others.filesWith(name).some((file) => file !== then.file && !apart.includes(file)))
      continue;
    if (isEverywhere(name, own, [{ then, flow }], apart)) groups.set(name, {});
  }
  for (const [name, group] of others.agreed) if (group) groups.set(name, group);
  const byGroup = new Map<object, object | undefined>();
  for (const { group, widened: ways = [], result = "" } of shaped.values()) {
    const functions = [...new Set(ways.map((one) => one.function))];
    const [own] = functions;
    if (own !== undefined) {
      byGroup.set(group, functions.length === 1 ? groups.get(own) : undefined);
    } else if (names.has(result) || others.agreed.has(result)) {
      // What it names would be nothing.
      byGroup.set(group, groups.get(result));
    }
  }
  const found = new Map<Statement, Shaped>();
  for (const [statement, one] of shaped) {
    const group = byGroup.has(one.group) ? byGroup.get(one.group) : one.group;
    if (group) found.set(statement, { ...one, group });
  }
  return found;
}

/** Files that mention a name and mean a function of their own by it; not those of some homes of it. */
export function filesApart(name: string, others: OtherFiles, homes: readonly string[]): string[] {
  return others.filesWith(name).filter((file) => {
    const other = homes.includes(file) ? undefined : others.fileOf(file);
    return other !== undefined && hasItsOwn(other, name);
  });
}

/** Whether a module's name can be that of one of some files. */
function isModuleOf(module: string, files: readonly string[]): boolean {
  const words = module.split(/[./]+/).filter((word) => !/^(?:[cm]?[jt]sx?|py)?$/.test(word));
  return files.some((file) => {
    const stem = file.split("/").at(-1)?.split(".")[0];
    return stem === words.at(-1);
  });
}

/** The older version of a file. */
interface Older {
  readonly then: ParsedFile;
  readonly flow: ObjectUses;
}

/** Whether a function of one of some files gives more wherever it returns, to whoever calls it there. */
export function isEverywhere(
  name: string,
  widened: readonly Widened[],
  files: readonly Older[],
  apart: readonly string[],
): boolean {
  const [home, ...others] = files.filter(({ then }) => definitionsOf(then, name).length > 0);
  const own = home && definitionOf(home.then, name);
  if (!home || !own || others.length > 0) return false;
  const mentions = files.flatMap(({ then, flow }) => {
    const isApart = (module: string): boolean => isModuleOf(module, apart);
    const named = mentionsOf(then, name, own.member !== undefined, isApart);
    return [...named, ...mentionsOfCalled(then, name)].map((node) => ({ node, flow }));
  });
  const returns = widened.filter((one) => one.is === "return");
  const calls = widened.filter((one) => one.is === "call");
  if (new Set(widened.map(({ place }) => place)).size !== 1 || returns.length === 0) return false;
  if (widened[0]?.place === ONLY) {
    const isOfLanguage = /^(?:__\w+__|constructor)$/.test(name);
    const isIgnored = mentions.every(({ node, flow }) => flow.isIgnoredCall(node));
    return !isOfLanguage && mentions.length > 0 && isIgnored;
  }
  const counts = new Set(widened.flatMap(({ count }) => count ?? []));
  return (
    counts.size <= 1 &&
    returns.length === returnsIn(home.then, own) &&
    calls.length === mentions.length
  );
}
