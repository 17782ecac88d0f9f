/** @file What is said of asked names when a replay is over: those that it did not log, and values that nothing was compared with. */
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
    const reachedIn = (run: string): Silent | undefined => {
      const own = asked.filter((unit) => unit.run === run).map((unit) => silentIn(unit, name));
      return own.find((one) => one?.reached);
    };
    const told = silent.filter((run) => !threw || reachedIn(run));
    if (told.length === 0) return [];
    if (silent.length === runs.size) {
      return [
        whyNowhere(
          statement,
          told.map(reachedIn).find((one) => one !== undefined),
        ),
      ];
    }
    return told.map((run) => {
      const own = statementsOf(plan, run).find((one) => one.name === name) ?? statement;
      return `\`${name}\` logs nothing in ${sourceOf(plan, run)}: ${whyThere(own, reachedIn(run))}`;
    });
  });
  return [...new Set(found)];
}

/** Of values that are `unchecked` though others are not: why, and what has more to compare. */
export function uncheckedNames({ units }: ReplayState): string[] {
  const names = new Set(units.flatMap(({ alone = [] }) => alone));
  if (names.size === 0) return [];
  const where = "between what was restored before and behind them the run has nothing to compare";
  const said = [...names].map((name) => `\`${name}\``).join(", ");
  return [`some values of ${said} are unchecked: ${where}; --from-start restores nothing`];
}

function silentIn(unit: UnitState, name: string): Silent | undefined {
  return unit.silent?.find((one) => one.name === name);
}

type Silent = NonNullable<UnitState["silent"]>[number];

/** What was printed there, and what would have been a value. */
function noValue({ was, ofRun }: Silent): string {
  if (ofRun) return `logs \`${ofRun.join("`, `")}\`, of which the run has values: these stay`;
  const help = was?.startsWith("`") ? "" : "; print numbers, texts or lists of numbers of it";
  const said = was === undefined ? "" : `: ${was}${help}`;
  return `was reached, and had no value there${said} (docs/console.md)`;
}

function whyNowhere({ name, file, line, under }: PlannedStatement, at?: Silent): string {
  const where = `\`${name}\` at ${file}:${line}`;
  if (at) return `${where} ${noValue(at)}`;
  if (!under) return `${where} was not reached`;
  const instead = `--at ${file}:${under.line} '${name} = ${under.value}'`;
  return `\`${name}\` stands at ${file}:${line} under \`${under.text}\`, which was false:  ${instead}`;
}

function whyThere({ file, line, under }: PlannedStatement, at?: Silent): string {
  if (at) return `${file}:${line} ${noValue(at)}`;
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
