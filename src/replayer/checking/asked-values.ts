/**
 * @file Which of the values that a replay logged are asked for, and as what: by name, by a name with
 * a star in it (`grad/*`), under another name, given on the command line, or, where the text of its call
 * does not show its name, by its place.
 */
import type { LogRecord, PlannedStatement, SiteRecord } from "../../format/index.ts";
import type { Line } from "../recorded/raw-log.ts";

/** Of a logged value: the asked name that it is of, if it is. */
export type AskedNameOf = (record: LogRecord) => string | undefined;

export interface AskedValues {
  /** What was logged, under the names that were asked for. */
  readonly replayed: readonly Line[];
  readonly askedNameOf: AskedNameOf;
}

/** `names`: all that are asked; `statements`: those that log them, as far as they are known. */
export function askedValues(
  replayed: readonly Line[],
  names: readonly string[],
  statements: readonly PlannedStatement[],
): AskedValues {
  const exact = new Set(names);
  const open = statements.filter(isOpen);
  const patterns = names
    .filter((name) => name.includes("*") && !open.some((one) => one.name === name))
    .map((name) => ({ name, pattern: patternOf(name) }));
  const renamed = statements.filter(({ logged }) => logged !== undefined);
  const renamedAt = (name: string, site: SiteRecord): string | undefined =>
    renamed.find((one) => one.logged === name && isOn(one, site))?.name;
  const sites = new Map<number, SiteRecord>();
  const lines = replayed.map((line): Line => {
    if (line.k === "site") {
      const site = line as unknown as SiteRecord;
      sites.set(site.site, site);
    }
    if (line.k !== "log" || renamed.length === 0) return line;
    const { name, site } = line as unknown as LogRecord;
    const at = sites.get(site ?? -1);
    const given = at && renamedAt(name, at);
    return given === undefined ? line : { ...line, name: given };
  });
  // Which of several calls on a line it is no line tells.
  const isAlone = (at: SiteRecord): boolean =>
    [...sites.values()].every((one) => {
      return one.file !== at.file || one.line !== at.line || one.column === at.column;
    });
  const isOf = (name: string, at: SiteRecord, one: PlannedStatement): boolean => {
    return isOn(one, at) && (!one.shown || (!one.shown.includes(name) && isAlone(at)));
  };
  return {
    replayed: lines,
    askedNameOf: ({ name, site }) => {
      if (exact.has(name)) return name;
      const at = sites.get(site ?? -1);
      const own = at && open.find((one) => isOf(name, at, one));
      return own?.name ?? patterns.find(({ pattern }) => pattern.test(name))?.name;
    },
  };
}

/** Whether a statement may log names that its text does not show. */
export function isOpen({ unnamed, shown }: PlannedStatement): boolean {
  return unnamed === true || shown !== undefined;
}

/** Whether a place is one of a statement. */
export function isOn({ file, line, text }: PlannedStatement, at: SiteRecord): boolean {
  return file === at.file && line <= at.line && at.line < line + text.split("\n").length;
}

function patternOf(name: string): RegExp {
  const parts = name.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join("\\S*")}$`);
}
