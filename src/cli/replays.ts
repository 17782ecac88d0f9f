/** @file `afterlog resume`, `cancel` and `ps`: replays that were begun before. */
import type { ReplayState } from "../replayer/index.ts";
import {
  cancelReplay,
  listReplays,
  readPlan,
  readReplay,
  resumeReplay,
} from "../replayer/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { formatCount, formatDuration, formatTime } from "./format-units.ts";
import { requireProject, withCatalog } from "./project.ts";
import { limitOf } from "./replay.ts";
import { runSession } from "./replay-session.ts";
import { projectSettings, resolveRun, workersOf } from "../app/index.ts";
import { renderTable } from "./table.ts";

type ResumeOptions = OptionsOf<"resume">;

/** Continues a replay; cells that are there are not computed again. */
export async function resumeCommand(
  context: CliContext,
  id: string | undefined,
  options: ResumeOptions,
): Promise<number> {
  const project = requireProject(context);
  const state = findReplay(project.store, id);
  if (state.status === "done") {
    context.err(`replay ${state.replay} is done: nothing is left of it\n`);
    return 0;
  }
  const plan = readPlan(project.store, state.replay);
  const skip = await skippedRuns(context, options.skip ?? []);
  const limit = limitOf(options.maxTime ?? projectSettings(context)["replay.max_time"].value);
  return runSession(context, { project, plan, ...limit }, (session) =>
    resumeReplay({
      ...session,
      id: state.replay,
      workers: options.jobs ?? workersOf(context, { jobs: state.workers }),
      canary: false,
      skip,
    }),
  );
}

/** Without an id the newest that can be continued: others may have been started and done since. */
function findReplay(store: string, id: string | undefined): ReplayState {
  const isOpen = ({ status }: ReplayState): boolean => status !== "done" && status !== "running";
  const open = id === undefined ? listReplays(store).find(isOpen) : undefined;
  return open ?? readReplay(store, id);
}

async function skippedRuns(context: CliContext, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return [];
  return withCatalog(context, async ({ connection }) => {
    const runs: string[] = [];
    for (const reference of references) runs.push(await resolveRun(connection, reference));
    return runs;
  });
}

export function cancelCommand(context: CliContext, id: string): Promise<number> {
  const { store } = requireProject(context);
  const wasRunning = cancelReplay(store, id);
  if (context.json) context.out(`${JSON.stringify({ replay: id, cancelled: wasRunning })}\n`);
  else if (wasRunning) context.out(`replay ${id} stops; continue with: afterlog resume ${id}\n`);
  else context.out(`replay ${id} is not running\n`);
  return Promise.resolve(0);
}

export function psCommand(context: CliContext, options: OptionsOf<"ps">): Promise<number> {
  const { store } = requireProject(context);
  const all = listReplays(store);
  const shown = options.all ? all : all.filter(({ status }) => status === "running");
  if (context.json) {
    context.out(`${JSON.stringify(shown, undefined, 2)}\n`);
    return Promise.resolve(0);
  }
  if (shown.length > 0) context.out(replayTable(context, shown));
  else {
    const open = all.filter(({ status }) => status === "stopped" || status === "interrupted");
    const [newest] = open;
    const hint = newest ? `; ${newest.replay} can be continued: afterlog resume` : "";
    context.err(options.all ? "no replay was started yet\n" : `no replay is running${hint}\n`);
  }
  return Promise.resolve(0);
}

function replayTable(context: CliContext, states: readonly ReplayState[]): string {
  const rows = states.map((state) => {
    const count = (status: string): number =>
      state.units.filter((unit) => unit.status === status).length;
    const cells = state.units.reduce((sum, unit) => sum + unit.cells, 0);
    return [
      state.replay,
      state.status,
      state.names.join(", "),
      `${count("done") + count("failed")}/${state.units.length}`,
      formatCount(cells),
      count("failed") > 0 ? formatCount(count("failed")) : "",
      formatTime(new Date(state.created)),
      formatDuration(state.predicted_s * 1000),
    ];
  });
  const columns = [
    { title: "REPLAY", align: "left" },
    { title: "STATUS", align: "left" },
    { title: "NAMES", align: "left" },
    { title: "DONE", align: "right" },
    { title: "CELLS", align: "right" },
    { title: "FAILED", align: "right" },
    { title: "STARTED", align: "left" },
    { title: "PLAN", align: "right" },
  ] as const;
  return renderTable(columns, rows, { width: context.columns, color: context.color, keep: 3 }).text;
}
