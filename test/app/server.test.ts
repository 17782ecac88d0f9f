/**
 * Use cases as a server calls them: no command line, no terminal, no process but the user's program.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type {
  Ports,
  RecordedProgram,
  RecordingEvent,
  RunningProgram,
} from "../../build/app/index.js";
import {
  Bisection,
  executeGc,
  findReplay,
  forkRun,
  gcReport,
  listReplays,
  planGc,
  readinessOf,
  continueReplay,
  showLandings,
  startReplay,
} from "../../build/app/index.js";
import { explainValue, makePlan, showRun } from "../../build/app/read.js";
import { findProgram, recordRun } from "../../build/app/record.js";
import type { ReplayEvent } from "../../build/replayer/index.js";
import { Training } from "../cli-replay/training.ts";

vi.setConfig({ testTimeout: 300_000 });

function portsOf({ folder }: Training): Ports {
  return { cwd: folder, env: { ...process.env, AFTERLOG_WORKERS: "1" }, now: () => new Date() };
}

class Listener {
  readonly events: RecordingEvent[] = [];
  stdout = "";
  readonly session = {
    emit: (event: RecordingEvent): void => void this.events.push(event),
    output: (stream: string, bytes: Buffer): void => {
      if (stream === "stdout") this.stdout += bytes.toString();
    },
    stdin: "ignore",
    terminal: { stdout: null, stderr: null },
  } as const;

  kinds(): string[] {
    return [...new Set(this.events.map(({ kind }) => kind))];
  }
}

function record(
  project: Training,
  listener: Listener,
  ...argv: string[]
): Promise<RecordedProgram> {
  const ports = portsOf(project);
  const program = findProgram(ports, "train.ts");
  const request = { program, argv, flags: { "record.overhead": "inf", "record.seed": "7" } };
  return recordRun(ports, request, listener.session);
}

it("records, plans, replays, is stopped, goes on, and says where a value comes from", async () => {
  using project = new Training();
  const ports = portsOf(project);
  for (const lr of ["lr=0.1", "lr=0.2"]) {
    const listener = new Listener();
    const { code, report } = await record(project, listener, lr);
    expect({ code, status: report.status }).toEqual({ code: 0, status: "done" });
    expect(listener.kinds()).toEqual(expect.arrayContaining(["begin", "end", "ended"]));
  }
  project.add("outer");
  const plan = await makePlan(ports, { names: ["best"] });
  expect(readinessOf(plan)).toBe("ready");
  expect(plan.runs).toHaveLength(2);

  const stop = new AbortController();
  const events: ReplayEvent[] = [];
  const emit = (event: ReplayEvent): void => void events.push(event);
  const confirmCanary = (): boolean => {
    stop.abort();
    return true;
  };
  const { signal } = stop;
  const stopped = await startReplay(ports, { plan, canary: true, confirmCanary }, { emit, signal });
  expect(stopped.status).toBe("stopped");
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["plan", "canary", "cell", "done"]),
  );

  const state = findReplay(ports, undefined);
  expect(state.replay).toBe(stopped.replay);
  const done = await continueReplay(ports, { state }, { emit });
  expect(done.status).toBe("done");
  expect(listReplays(ports).map(({ status }) => status)).toEqual(["done"]);
  // What the canary had filled is not computed again.
  const filled = events.filter(({ kind }) => kind === "cell");
  expect(filled).toHaveLength(6);
  expect(readinessOf(await makePlan(ports, { names: ["best"] }))).toBe("filled");

  const { report, count } = await explainValue(ports, { run: "@", name: "best" });
  expect(count).toBe(3);
  expect(report).toMatchObject({
    path: "epoch=2",
    origin: "hindsight",
    check: "verified",
    replay: { replay: stopped.replay },
  });
  const landings = await showLandings(ports, { name: "best" });
  expect(landings.report.groups.map(({ runs }) => runs.length)).toEqual([2]);
});

it("prices a search and a removal before it does them", async () => {
  using project = new Training();
  const ports = portsOf(project);
  const runs: string[] = [];
  for (const lr of ["lr=0.1", "lr=0.2", "lr=0.3"]) {
    runs.push((await record(project, new Listener(), lr)).run ?? "");
  }
  project.add("prefix");
  const bisection = await Bisection.prepare(ports, { condition: "begin > 0.5" });
  expect(bisection.price).toMatchObject({ between: 1, replays: 3 });
  expect(listReplays(ports)).toEqual([]);
  const answers: string[] = [];
  const outcome = await bisection.search({
    emit: (event) => {
      if (event.kind === "answer") answers.push(event.candidate.run);
    },
  });
  expect(outcome).toMatchObject({ kind: "found", report: { first_bad: { run: runs[1] } } });
  expect(answers.toSorted()).toEqual(runs.toSorted());

  const planned = await planGc(ports, { runs: [runs[0] ?? ""], policy: "every:2" });
  const price = gcReport(planned, { dryRun: true });
  expect(price).toMatchObject({ dry_run: true, left_out: [], runs: [{ run: runs[0] }] });
  const before = (await showRun(ports, runs[0] ?? "")).details.checkpoints.length;
  const gone = executeGc(ports, planned);
  expect(gone.failed).toEqual([]);
  const after = (await showRun(ports, runs[0] ?? "")).details.checkpoints.length;
  expect(before - after).toBe(price.runs[0]?.removed.length);
});

const ENDLESS = `import * as al from "afterlog";
let total = 0;
for (const step of al.loop("step", al.range(1e9))) {
  total += step;
  if (step === 3) console.log("under way");
  await new Promise((done) => setTimeout(done, 5));
}
`;

it("stops a program when it is told to, and goes on with its run", async () => {
  using project = new Training({ "endless.ts": ENDLESS });
  const ports = portsOf(project);
  const program = findProgram(ports, "endless.ts");
  const listener = new Listener();
  const stopAt = (text: string): Parameters<typeof recordRun>[2] => {
    const stop = new AbortController();
    const output = (stream: string, bytes: Buffer): void => {
      listener.session.output(stream, bytes);
      if (listener.stdout.includes(text)) stop.abort();
    };
    return { ...listener.session, output, signal: stop.signal };
  };
  const request = { program, argv: [], flags: { "record.overhead": "inf" } };
  const first = await recordRun(ports, request, stopAt("under way"));
  expect(first.report.status).toBe("interrupted");

  let running: RunningProgram | undefined;
  const emit = (event: RecordingEvent): void => {
    listener.session.emit(event);
    if (event.kind === "begin") running?.kill("SIGINT");
  };
  const watch = (program: RunningProgram): (() => void) => {
    running = program;
    return () => (running = undefined);
  };
  const resumed = { ...listener.session, emit, watch };
  const again = await recordRun(ports, { ...request, resume: {} }, resumed);
  expect(again.run).toBe(first.run);
  expect(listener.kinds()).toContain("resumes");

  const changed = ENDLESS.replace("let total = 0", "let total = 1");
  writeFileSync(join(project.folder, "endless.ts"), changed);
  const fork = forkRun(ports, { reference: "@", args: [] }, listener.session);
  await expect(fork).rejects.toMatchObject({ code: "AL034" });
});
