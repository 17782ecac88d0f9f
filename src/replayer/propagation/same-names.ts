/**
 * @file A name that the run logs already, and the working tree logs as something else: both would stand
 * in one column. The run's stays, and the other is asked for under another name.
 */
import type { ProbePlace, SourcePlace } from "../../format/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { findStatements } from "./pieces.ts";
import { valueText } from "./value-text.ts";

/** Two statements of a name, in the same loops. */
export interface SameName {
  readonly ofRun: SourceLog;
  readonly added: SourceLog;
}

/** Statements of a name that the run has, and others that were put beside them. */
export function sameNames(
  name: string,
  { model, probes }: { readonly model: SourceModel; readonly probes: readonly ProbePlace[] },
): SameName[] {
  const logs = findStatements(model, name).filter((log) => log.name === name);
  const ofRun = logs.filter((log) => !isPutIn({ probes }, log));
  return logs
    .filter((log) => isPutIn({ probes }, log))
    .flatMap((added) => {
      const own = ofRun.find(({ chain }) => chain.join() === added.chain.join());
      return own ? [{ ofRun: own, added }] : [];
    });
}

/** Why a name cannot be asked for, if what was added logs another value than the run does. */
export function whyOtherValue(
  name: string,
  source: Parameters<typeof sameNames>[1],
): string | undefined {
  const other = sameNames(name, source).find(({ ofRun, added }) => {
    return valueText(name, ofRun.text) !== valueText(name, added.text);
  });
  if (!other) return undefined;
  const [then, now] = [other.ofRun, other.added].map(({ text }) => valueText(name, text));
  return (
    `this run logs \`${name}\` as \`${then}\`, yours as \`${now}\`; ` +
    `ask for yours as another column: --as ${name}_2`
  );
}

/** Why nothing is left to ask for, though the statement is new: the run's own gave those values. */
export function whyOtherPlace(
  name: string,
  source: Parameters<typeof sameNames>[1],
): string | undefined {
  const [first] = sameNames(name, source);
  if (!first) return undefined;
  const { ofRun, added } = first;
  return (
    `this run logs \`${name}\` in the same loop (${ofRun.text}), and yours stands elsewhere ` +
    `(${added.file}:${added.line}); ask for yours as another column: --as ${name}_2`
  );
}

/** Whether a statement of a source is one that the run did not have. */
export function isPutIn(
  { probes }: { readonly probes: readonly ProbePlace[] },
  statement: SourcePlace,
): boolean {
  return probes.some((probe) => isIn(probe, statement));
}

function isIn({ file, line, column, end }: ProbePlace, at: SourcePlace): boolean {
  if (file !== at.file) return false;
  if (!end) return line === at.line && column === at.column;
  const isAfter = at.line > line || (at.line === line && at.column >= column);
  const isBefore = at.line < end.line || (at.line === end.line && at.column < end.column);
  return isAfter && isBefore;
}
