/** @file `afterlog resume`, `cancel` and `ps`: replays that were begun before. */
import {
  cancelReplay,
  findReplay,
  goOn,
  listReplays,
  planOfReplay,
  continueReplay,
} from "../../app/index.ts";
import { projectSettings } from "../../app/read.ts";
import type { ReplayState } from "../../replayer/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatDuration, formatTime } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { watchReplay } from "./watch-replay.ts";
import { renderTable } from "../terminal/text-table.ts";

type ResumeOptions = OptionsOf<"resume">;

/** Continues a replay; cells that are there are not computed again. */
export async function resumeCommand(
  context: CliContext,
  id: string | undefined,
  options: ResumeOptions,
): Promise<number> {
  const ports = portsOf(context, options);
  const state = findReplay(ports, id);
  if (state.status === "done") {
    context.err(`replay ${state.replay} is done: nothing is left of it\n`);
    return 0;
  }
  const plan = planOfReplay(ports, state);
  const { skip, jobs, maxTime } = options;
  const maxSeconds = maxTime ?? projectSettings(context)["replay.max_time"].value ?? undefined;
  return watchReplay(context, { plan, maxSeconds }, (session) =>
    continueReplay(ports, { state, skip, jobs }, session),
  );
}

export function cancelCommand(context: CliContext, id: string): Promise<number> {
  const report = cancelReplay(portsOf(context), id);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else if (report.cancelled) {
    context.out(`replay ${id} stops; continue with: afterlog resume ${id}\n`);
  } else context.out(`replay ${id} is not running\n`);
  return Promise.resolve(0);
}

export function goCommand(context: CliContext, id: string): Promise<number> {
  const report = goOn(portsOf(context), id);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else
    context.out(report.goes ? `replay ${id} goes on\n` : `replay ${id} does not wait for that\n`);
  return Promise.resolve(0);
}

export function psCommand(context: CliContext, options: OptionsOf<"ps">): Promise<number> {
  const all = listReplays(portsOf(context));
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
  return renderTable(columns, rows, { width: context.columns, color: context.color });
}
