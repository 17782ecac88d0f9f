/** @file Asked names that a replay did not log: in no run, or not in those of some versions. */
import type { Plan, PlannedStatement } from "../../format/index.ts";
import type { ReplayState, UnitState } from "../../replayer/index.ts";

/** What is said of each: it was never reached, or had no value. */
export function silentNames(plan: Plan, { units }: ReplayState): string[] {
  const ended = units.filter(({ status }) => status === "done");
  // What it threw before it came there is told.
  const threw = units.some(({ failures }) => failures);
  const found = plan.statements.flatMap((statement) => {
    const { name } = statement;
    const asked = ended.filter(({ run }) =>
      statementsOf(plan, run).some((one) => one.name === name),
    );
    const runs = new Set(asked.map(({ run }) => run));
    const silent = [...runs].filter((run) => {
      return asked.every((unit) => unit.run !== run || silentIn(unit, name) !== undefined);
    });
    const isReached = (run: string): boolean =>
      asked.some((unit) => unit.run === run && silentIn(unit, name)?.reached);
    const told = silent.filter((run) => !threw || isReached(run));
    if (told.length === 0) return [];
    if (silent.length === runs.size) return [whyNowhere(statement, told.some(isReached))];
    return told.map((run) => {
      const own = statementsOf(plan, run).find((one) => one.name === name) ?? statement;
      return `\`${name}\` logs nothing in ${sourceOf(plan, run)}: ${whyThere(own, isReached(run))}`;
    });
  });
  return [...new Set(found)];
}

function silentIn(
  unit: UnitState,
  name: string,
): NonNullable<UnitState["silent"]>[number] | undefined {
  return unit.silent?.find((one) => one.name === name);
}

const NO_VALUE =
  "was reached, and had no value there (`undefined`, `None`, or a text that is none: docs/console.md)";

function whyNowhere({ name, file, line, under }: PlannedStatement, isReached: boolean): string {
  const where = `\`${name}\` at ${file}:${line}`;
  if (isReached) return `${where} ${NO_VALUE}`;
  if (!under) return `${where} was not reached`;
  const at = `--at ${file}:${under.line} '${name} = ${under.value}'`;
  return `\`${name}\` stands at ${file}:${line} under \`${under.text}\`, which was false:  ${at}`;
}

function whyThere({ file, line, under }: PlannedStatement, isReached: boolean): string {
  if (isReached) return `${file}:${line} ${NO_VALUE}`;
  return under ? `\`${under.text}\` was false` : `${file}:${line} was not reached`;
}

/** The version of a run, where it has one. */
function sourceOf({ runs, landings }: Plan, run: string): string {
  const { landing } = runs.find((one) => one.run === run) ?? {};
  const [version] = (landing === undefined ? undefined : landings[landing]?.versions) ?? [];
  return version === undefined ? run : `version ${version.slice(0, 7)}`;
}

/** What is asked of a run: its source may have no place for others. */
function statementsOf(
  { runs, landings, statements }: Plan,
  run: string,
): readonly PlannedStatement[] {
  const { landing } = runs.find((one) => one.run === run) ?? {};
  return (landing === undefined ? undefined : landings[landing]?.statements) ?? statements;
}
