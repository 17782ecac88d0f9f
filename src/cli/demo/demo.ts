/**
 * @file `afterlog demo`: the story of FlorDB §2 and §3, told on handwritten digits. A network is
 * trained on, week after week, by a script that changes; one digit is forgotten, and no number that
 * was logged says so. The statement that would have said it is added to the newest script, and
 * every past version is asked. Everything shown is computed here and now by the commands it names.
 */
import assert from "node:assert/strict";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { uiCommand } from "../reading/ui.ts";
import { lineChart } from "../terminal/chart.ts";
import {
  addStatement,
  commitWeek,
  DEMO_VERSIONS,
  makeDemoProject,
  type DemoVersion,
} from "./demo-history.ts";
import { ask, CommandFailed, say, show, showGit, tell, type Stage } from "./demo-show.ts";
import { createColors } from "../terminal/terminal-edge.ts";

const STATEMENT = 'al.log("f1_seven", f1Of(7, predicted, held.labels));';
/** Fixed, so that the numbers are the same every time; other seeds forget the sevens as well. */
const SEED = 30;

const SCENES = [recordWeeks, addLogStatement, lookAtLandings, askEveryVersion, findTheWeek];

/** Makes the project, tells the story. Leaves the folder to the user. */
export async function demoCommand(
  context: CliContext,
  given: string | undefined,
  { until, ui }: OptionsOf<"demo">,
): Promise<number> {
  const { dim, bold } = createColors(context.color);
  if (until !== undefined && until !== "ask") {
    throw new AfterlogError("AL001", `the demo has no scene ${JSON.stringify(until)}`, {
      help: ["stop before the question:  afterlog demo --until ask"],
    });
  }
  const project = makeDemoProject(context, given);
  context.out(`${bold("A network learns to read the digits on scanned forms.")}\n`);
  context.out("Every week new scans arrive, and it is trained on, by a script that changes.\n");
  context.out(dim(`The project, a git repository of its own:  ${project.folder}\n`));
  const stage = { project, context };
  try {
    if (until === undefined && !ui) for (const scene of SCENES) await scene(stage);
    else {
      await recordWeeks(stage);
      addQuestion(stage);
      if (ui) return await uiCommand({ ...context, cwd: project.folder, env: project.env }, {});
      tell(stage, `Now you:  cd ${project.folder} && npx afterlog ui`);
    }
    return 0;
  } catch (error) {
    if (error instanceof CommandFailed) return error.code;
    throw error;
  }
}

/** Nine versions, nine runs, and a table in which nothing is wrong. */
async function recordWeeks(stage: Stage): Promise<void> {
  say(stage, "git commit … && afterlog run --name week-N --seed 30+N train.ts");
  for (const version of DEMO_VERSIONS) await recordWeek(stage, version);
  await show(stage, ["frame", "week", "accuracy", "f1", "loss", "--grain", "run"]);
}

async function recordWeek(stage: Stage, version: DemoVersion): Promise<void> {
  const { context, project } = stage;
  const { dim, green } = createColors(context.color);
  const { week, subject } = version;
  const commit = commitWeek(project, version);
  context.out(`week-${week}  ${dim(commit)}  ${subject.padEnd(SUBJECT_WIDTH)}  `);
  const seed = String(SEED + week);
  const run = await ask(stage, ["run", "--name", `week-${week}`, "--seed", seed, "train.ts"]);
  const [, done] = /^✔ (.*?) · /m.exec(run.stderr) ?? [];
  context.out(done === undefined ? "\n" : `${green("✔")} ${done}\n`);
}

const SUBJECT_WIDTH = Math.max(...DEMO_VERSIONS.map(({ subject }) => subject.length));

const COMPLAINT = `The numbers say that all is well. But people complain: sevens are misread.
How well was a 7 read, week by week? Nobody logged it. One line goes into the
newest script, and every version that ever ran is asked.`;

/** What one would like to know now, in the newest script alone. */
async function addLogStatement(stage: Stage): Promise<void> {
  addQuestion(stage);
  await showGit(stage, ["diff", "--unified=1", "train.ts"]);
  await show(stage, ["plan", "f1_seven"]);
}

function addQuestion(stage: Stage): void {
  tell(stage, COMPLAINT);
  addStatement(stage.project, { after: "f1", statement: STATEMENT });
}

/** A landing that is not certain waits until somebody has looked at it. */
async function lookAtLandings(stage: Stage): Promise<void> {
  let open = await openLanding(stage);
  if (open) tell(stage, lookText(await weekOf(stage, open.run)));
  // What is accepted for one version says nothing about the others: so one after the other.
  for (let looked = 0; open && looked < DEMO_VERSIONS.length; looked++) {
    await show(stage, ["where", "f1_seven", open.version, "--accept"]);
    open = await openLanding(stage);
  }
}

/** The newest version that needs a look, and a run of it. */
async function openLanding(
  stage: Stage,
): Promise<{ readonly version: string; readonly run: string } | undefined> {
  const { stdout } = await ask(stage, ["where", "f1_seven", "--json"]);
  const { groups } = JSON.parse(stdout) as { readonly groups: readonly DemoLandings[] };
  const open = groups.find(({ verdict }) => verdict === "review");
  const [version] = open?.versions ?? [];
  const [run] = open?.runs ?? [];
  return version === undefined || run === undefined
    ? undefined
    : { version: version.slice(0, 7), run };
}

function lookText(week: number): string {
  return `Up to week ${week} the script was quite another one. A landing that is not certain is
replayed only after somebody has looked at it. We have; it is right:`;
}

interface DemoLandings {
  readonly verdict: string;
  readonly versions: readonly string[];
  readonly runs: readonly string[];
}

async function askEveryVersion(stage: Stage): Promise<void> {
  await show(stage, ["replay", "f1_seven", "--yes"]);
  await show(stage, ["frame", "week", "accuracy", "f1", "f1_seven", "--grain", "run"]);
  stage.context.out(`\n${await chart(stage)}\n`);
}

/** By halves, to the first version that cannot read a seven, and to what came with it. */
async function findTheWeek(stage: Stage): Promise<void> {
  tell(stage, "Sevens were forgotten. Since when, and what came with that version?");
  const search = ["bisect", "f1_seven < 0.8", "--yes"];
  await show(stage, search);
  // The values are all there by now: what was found is told again at once.
  const { stdout } = await ask(stage, [...search, "--json"]);
  const found = JSON.parse(stdout) as Turn;
  const good = `week-${await weekOf(stage, found.last_good)}`;
  const bad = `week-${await weekOf(stage, found.first_bad.run)}`;
  await show(stage, ["diff", good, bad]);
  tell(stage, "The script is not to blame. In which weeks were there scans of a 7?");
  await showGit(stage, ["grep", "--count", ",7$", "data"]);
  sayWhatIsNext(stage, { good, bad });
}

/** Where it changed, as `bisect --json` tells it. */
interface Turn {
  readonly first_bad: { readonly run: string };
  readonly last_good: string;
}

function sayWhatIsNext(
  { context, project }: Stage,
  { good, bad }: { readonly good: string; readonly bad: string },
): void {
  const { bold } = createColors(context.color);
  context.out(`\nNow you:  ${bold(`cd ${project.folder}`)}\n`);
  const commands = [
    "npx afterlog where f1_seven week-1",
    "npx afterlog why week-9 f1_seven",
    `npx afterlog show ${bad}`,
    `npx afterlog restore ${good}@end --out last-good.safetensors`,
    "npx afterlog run train.ts lr=0.05",
  ];
  for (const command of commands) context.out(`  ${command}\n`);
}

interface WeekRow {
  readonly run: string;
  readonly week: number;
  readonly accuracy: number;
  readonly f1_seven: number | null;
}

async function weeks(stage: Stage, names: readonly string[]): Promise<readonly WeekRow[]> {
  const { stdout } = await ask(stage, ["frame", "week", ...names, "--grain", "run", "--json"]);
  return JSON.parse(stdout) as readonly WeekRow[];
}

async function weekOf(stage: Stage, run: string): Promise<number> {
  const found = (await weeks(stage, [])).find((row) => row.run === run);
  assert(found, `${run} is of no week`);
  return found.week;
}

async function chart(stage: Stage): Promise<string> {
  const { columns, color } = stage.context;
  const names = ["accuracy", "f1_seven"] as const;
  const rows = await weeks(stage, names);
  const series = names.map((label) => ({
    label,
    points: rows.flatMap((row) => (row[label] === null ? [] : [{ x: row.week, y: row[label] }])),
  }));
  const title = "accuracy of all digits, F1 of the sevens";
  return lineChart(series, {
    width: Math.min(columns, 80),
    height: 8,
    color,
    title,
    xLabel: "week",
  });
}
