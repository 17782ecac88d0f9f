/**
 * @file `afterlog demo`: the story of FlorDB §2 and §3, told on handwritten digits. A network is
 * trained on, week after week, by a script that changes; one digit is forgotten, and no number that
 * was logged says so. The statement that would have said it is added to the newest script, and
 * every past version is asked. Everything shown is computed here and now by the commands it names.
 */
import pc from "picocolors";
import { lineChart } from "./chart.ts";
import type { CliContext } from "./context.ts";
import {
  addStatement,
  commitWeek,
  DEMO_VERSIONS,
  makeDemoProject,
  type DemoVersion,
} from "./demo-history.ts";
import { ask, say, show, showGit, tell, type Stage } from "./demo-show.ts";

const STATEMENT = 'al.log("f1_seven", f1Of(7, predicted, held.labels));';
/** Fixed, so that the numbers are the same every time; other seeds forget the sevens as well. */
const SEED = 30;

const SCENES = [
  recordWeeks,
  addLogStatement,
  lookAtLandings,
  askEveryVersion,
  findTheWeek,
  sayWhatIsNext,
];

/** Makes the project, tells the story. Leaves the folder to the user. */
export async function demoCommand(context: CliContext, given: string | undefined): Promise<number> {
  const { dim, bold } = pc.createColors(context.color);
  const project = makeDemoProject(context, given);
  context.out(`${bold("A network learns to read the digits on scanned forms.")}\n`);
  context.out("Every week new scans arrive, and it is trained on, by a script that changes.\n");
  context.out(dim(`The project, a git repository of its own:  ${project.folder}\n`));
  const stage = { project, context };
  for (const scene of SCENES) {
    const code = await scene(stage);
    if (code !== 0) return code;
  }
  return 0;
}

/** Nine versions, nine runs, and a table in which nothing is wrong. */
async function recordWeeks(stage: Stage): Promise<number> {
  say(stage, "git commit … && afterlog run --name week-N --seed 30+N train.ts");
  for (const version of DEMO_VERSIONS) {
    const code = await recordWeek(stage, version);
    if (code !== 0) return code;
  }
  return show(stage, ["frame", "week", "accuracy", "f1", "loss", "--grain", "run"]);
}

async function recordWeek(stage: Stage, version: DemoVersion): Promise<number> {
  const { context, project } = stage;
  const { dim, green } = pc.createColors(context.color);
  const { week, subject } = version;
  const commit = commitWeek(project, version);
  context.out(`week-${week}  ${dim(commit)}  ${subject.padEnd(SUBJECT_WIDTH)}  `);
  const seed = String(SEED + week);
  const run = await ask(stage, ["run", "--name", `week-${week}`, "--seed", seed, "train.ts"]);
  const [, done] = /^✔ (.*?) · /m.exec(run.stderr) ?? [];
  context.out(done === undefined ? "\n" : `${green("✔")} ${done}\n`);
  if (run.code !== 0) context.err(run.stderr);
  return run.code;
}

const SUBJECT_WIDTH = Math.max(...DEMO_VERSIONS.map(({ subject }) => subject.length));

const COMPLAINT = `The numbers say that all is well. But people complain: sevens are misread.
How well was a 7 read, week by week? Nobody logged it. One line goes into the
newest script, and every version that ever ran is asked.`;

/** What one would like to know now, in the newest script alone. */
async function addLogStatement(stage: Stage): Promise<number> {
  tell(stage, COMPLAINT);
  addStatement(stage.project, { after: "f1", statement: STATEMENT });
  const code = await showGit(stage, ["diff", "--unified=1", "train.ts"]);
  return code === 0 ? show(stage, ["plan", "f1_seven"]) : code;
}

/** A landing that is not certain waits until somebody has looked at it. */
async function lookAtLandings(stage: Stage): Promise<number> {
  let version = await openLanding(stage);
  if (version !== undefined) tell(stage, LOOK);
  // Versions before one that was looked at may be certain by way of it: so one after the other.
  for (let looked = 0; version !== undefined && looked < DEMO_VERSIONS.length; looked++) {
    const code = await show(stage, ["where", "f1_seven", version, "--accept"]);
    if (code !== 0) return code;
    version = await openLanding(stage);
  }
  return 0;
}

/** The newest version that needs a look. */
async function openLanding(stage: Stage): Promise<string | undefined> {
  const { stdout } = await ask(stage, ["where", "f1_seven", "--json"]);
  const { groups } = JSON.parse(stdout) as { readonly groups: readonly LandingGroup[] };
  const open = groups.find(({ verdict }) => verdict === "review");
  return open?.versions[0]?.slice(0, 7);
}

const LOOK = `Before week 5 there was no function evaluate. A landing that is not certain is
replayed only after somebody has looked at it. We have; it is right:`;

interface LandingGroup {
  readonly verdict: string;
  readonly versions: readonly string[];
}

async function askEveryVersion(stage: Stage): Promise<number> {
  const replayed = await show(stage, ["replay", "f1_seven", "--yes"]);
  if (replayed !== 0) return replayed;
  const code = await show(stage, ["frame", "week", "accuracy", "f1", "f1_seven", "--grain", "run"]);
  stage.context.out(`\n${await chart(stage)}\n`);
  return code;
}

/** By halves, to the first version that cannot read a seven, and to what came with it. */
async function findTheWeek(stage: Stage): Promise<number> {
  tell(stage, "Sevens were forgotten. Since when, and what came with that version?");
  const found = await show(stage, ["bisect", "f1_seven < 0.8", "--yes"]);
  if (found !== 0) return found;
  const compared = await show(stage, ["diff", "week-5", "week-6"]);
  if (compared !== 0) return compared;
  tell(stage, "The script is not to blame. In which weeks were there scans of a 7?");
  return showGit(stage, ["grep", "--count", ",7$", "data"]);
}

async function sayWhatIsNext({ context, project }: Stage): Promise<number> {
  const { bold } = pc.createColors(context.color);
  context.out(`\nNow you:  ${bold(`cd ${project.folder}`)}\n`);
  for (const line of NEXT) context.out(`  ${line}\n`);
  return 0;
}

const NEXT = [
  "npx afterlog where f1_seven week-1",
  "npx afterlog why week-9 f1_seven",
  "npx afterlog show week-6",
  "npx afterlog restore week-5@end --out last-good.safetensors",
  "npx afterlog run train.ts lr=0.05",
];

interface WeekRow {
  readonly week: number;
  readonly accuracy: number;
  readonly f1_seven: number | null;
}

async function chart(stage: Stage): Promise<string> {
  const { columns, color } = stage.context;
  const names = ["accuracy", "f1_seven"] as const;
  const { stdout } = await ask(stage, ["frame", "week", ...names, "--grain", "run", "--json"]);
  const rows = JSON.parse(stdout) as readonly WeekRow[];
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
