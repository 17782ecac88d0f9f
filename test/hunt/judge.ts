/**
 * @file Records a program of the hunt, asks it, and says of each value what it is worth: a mark that
 * promises too much, a difference that is none, a refusal of what could be answered, an answer to
 * what is no question. The truth is a plain execution, which knows nothing of Afterlog.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transformSync } from "@swc/wasm-typescript";
import { useCatalog } from "../../src/catalog/index.ts";
import type { Plan, UnitPart } from "../../src/format/index.ts";
import type { ReplayState, UnitState } from "../../src/replayer/index.ts";
import { torchInterpreter } from "../support/interpreters.ts";
import { MAIN, ROOT, TestProject } from "../support/project.ts";
import { slowDown } from "../support/slow-down.ts";
import { SEED } from "./bases/index.ts";
import type { Files, Placed, Program } from "./compose.ts";

/** What may be wrong with an answer; `weak` and `refused` are counted, the others fail. */
export type Fault =
  | "wrong mark"
  | "wrong value"
  | "unfounded divergence"
  | "missing"
  | "executed twice"
  | "plan not kept"
  | "recorded otherwise"
  | "answered";

export interface Finding {
  readonly fault: Fault;
  readonly what: string;
}

export interface Verdict {
  readonly seed: number;
  readonly language: Program["language"];
  readonly noisy: boolean;
  readonly versions: number;
  /** Kinds of edits that were asked. */
  readonly kinds: readonly string[];
  /** Values by mark. */
  readonly marks: { readonly [mark: string]: number };
  /** Edits that were asked of a run, and those that were refused or need a look, with the reason. */
  readonly edits: number;
  readonly refusals: readonly string[];
  /** Of each question and run, the share of the run's iterations that is executed again. */
  readonly executed: readonly number[];
  /** Why all of a run was executed, by the plan's words. */
  readonly whole: { readonly [why: string]: number };
  /** Questions that must be refused. */
  readonly interventions: number;
  /** Values that are neither verified nor restored, by edit and reason. */
  readonly weak: { readonly [why: string]: number };
  readonly findings: readonly Finding[];
}

interface Value {
  readonly name: string;
  /** Indices of the run's loops around it. */
  readonly at: string;
  readonly value: number;
  readonly check?: string | null;
  /** The replay's result that holds it. */
  readonly source?: string;
}

export interface Asked {
  readonly edits: readonly Placed[];
  readonly workers: number;
  /** A first piece is executed alone; absent: if the plan finds it worth it. */
  readonly canary?: boolean;
  /** First and last epoch that is asked for; absent: all, and what is outside of loops. */
  readonly range?: readonly [first: number, last: number] | undefined;
  /** Kills the command when it says this, and has the replay continued. */
  readonly killAt?: "plan" | "progress" | "cell" | undefined;
}

export interface Hunting {
  readonly questions: readonly Asked[];
  /** Kills the recording at its n-th checkpoint, and resumes it. */
  readonly killAtCheckpoint?: number | undefined;
}

export async function judge(program: Program, how: Hunting): Promise<Verdict> {
  // `using` is not known to Node 20, which executes this without vitest too (`worker.ts`).
  const project = new TestProject();
  try {
    const one = new Judge(program, project);
    // Of few edits, none may be for this program.
    if (program.edits.length + program.refused.length === 0) return one.verdict;
    await one.record(how.killAtCheckpoint);
    one.write(program.render(program.versions - 1, program.edits));
    for (const asked of how.questions) await one.ask(asked);
    await one.compare();
    for (const placed of program.refused) await one.refuse(placed);
    return one.verdict;
  } finally {
    project[Symbol.dispose]();
  }
}

class Judge {
  readonly #program: Program;
  readonly #project: TestProject;
  readonly #runs: string[] = [];
  readonly #findings: Finding[] = [];
  readonly #marks: { [mark: string]: number } = {};
  readonly #weak: { [why: string]: number } = {};
  readonly #refusals: string[] = [];
  /** What was said when a name was asked. */
  readonly #said = new Map<string, string>();
  readonly #executed: number[] = [];
  readonly #whole: { [why: string]: number } = {};
  readonly #ranges = new Map<Placed, Asked["range"]>();
  #edits = 0;

  constructor(program: Program, project: TestProject) {
    this.#program = program;
    this.#project = project;
  }

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) this.#project.write(name, text);
  }

  async record(killAtCheckpoint?: number): Promise<void> {
    const { versions, entry, render } = this.#program;
    const { language, packaged } = this.#program;
    const isOther = language === "python" && packaged !== undefined;
    const interpreter = isOther ? ["--python", this.#interpreter] : [];
    const options = ["--seed", SEED, "--overhead", "inf", ...interpreter];
    for (let version = 0; version < versions; version++) {
      this.write(render(version, []));
      if (killAtCheckpoint !== undefined) {
        const env = { AFTERLOG_CRASH_AT: `persist:before-rename#${killAtCheckpoint}` };
        await this.#project.afterlogWith(env, "run", ...options, entry);
      }
      const resume = killAtCheckpoint === undefined ? [] : ["--resume"];
      const { code, stderr } = await this.#project.afterlog("run", ...options, ...resume, entry);
      if (code !== 0) throw new Error(`${stderr}\n${textOf(render(version, []))}`);
      const { run } = this.#project.manifest;
      this.#runs.push(run);
      slowDown(this.#project);
    }
  }

  async ask({ edits, workers, canary = true, range, killAt }: Asked): Promise<void> {
    const names = edits.flatMap((edit) => edit.names);
    const where = range ? ["--where", `epoch >= ${range[0]} and epoch <= ${range[1]}`] : [];
    const how = [...where, ...(canary ? [] : ["--no-canary"]), "-j", String(workers)];
    // A second way would put right what a checkpoint lacks, and nobody would learn of it.
    const argv = ["replay", ...names, ...how, "--no-control", "--yes", "--json"];
    for (const edit of edits) this.#ranges.set(edit, range);
    if (killAt !== undefined) await this.#kill(argv, killAt);
    const { code, stdout, stderr } = await this.#project.afterlog(...argv);
    const said = [`afterlog ${argv.join(" ")} → ${String(code)}`, shortened(stdout), stderr];
    for (const name of names) this.#said.set(name, said.join("\n"));
    for (const { run, share, scan, notes, units } of planIn(stdout)?.runs ?? []) {
      // A value that two processes give is kept once: only the plan shows it.
      if (units.some((unit, at) => units.slice(at + 1).some((other) => overlap(unit, other)))) {
        this.#findings.push({ fault: "executed twice", what: `${run}: ${rangesOf(units)}` });
      }
      this.#executed.push(share);
      const why = notes[0] ?? `${scan} scan`;
      if (share >= 1) this.#whole[why] = (this.#whole[why] ?? 0) + 1;
    }
  }

  async #kill(argv: readonly string[], at: string): Promise<void> {
    const { child, finished } = this.#project.start([MAIN, ...argv]);
    child.stdout?.on("data", (text: string) => {
      if (text.includes(`"kind":"${at}"`)) child.kill("SIGKILL");
    });
    await finished;
  }

  async compare(): Promise<void> {
    const names = this.#program.edits.flatMap((edit) => edit.names);
    this.#compareRestored();
    for (const [version, run] of this.#runs.entries()) {
      const truth = this.#truth(version);
      await this.#compareRecord(version, truth);
      const found = await this.#values(run, "hindsight", names);
      for (const placed of this.#program.edits) {
        const { edit, names: own } = placed;
        this.#edits++;
        const isOwn = ({ name }: Value): boolean => own.includes(name);
        const range = this.#ranges.get(placed);
        const expected = truth.filter((one) => isOwn(one) && isIn(one, range));
        const values = found.filter(isOwn);
        const said = this.#said.get(own[0] ?? "") ?? "";
        if (values.length === 0 && expected.length > 0 && !this.#isExecuted(run, own, said)) {
          const mayBe = edit.warned === true && version < this.#runs.length - 1;
          if (!mayBe) this.#refusals.push(`${edit.kind}: ${reasonOf(said)}`);
          continue;
        }
        this.#compareSeen(edit.kind, values);
        this.#compareValues(`version ${version}`, { expected, values });
        for (const { name, check } of values) {
          if (check !== "unchecked") continue;
          const why = `${edit.kind}, version ${version}: ${this.#unsure(name)}`;
          this.#weak[why] = (this.#weak[why] ?? 0) + 1;
        }
      }
    }
  }

  /** Whether it was replayed for these names to the end: then no value may be missing. */
  #isExecuted(run: string, names: readonly string[], said: string): boolean {
    const plan = planIn(said);
    const planned = plan?.runs.find((one) => one.run === run);
    const { statements = [] } = plan?.landings[planned?.landing ?? -1] ?? {};
    const isAsked = statements.some(({ name }) => names.includes(name));
    return isAsked && said.includes('"kind":"done","status":"done"');
  }

  /** Nothing is verified by a process that compared nothing. */
  #compareSeen(kind: string, values: readonly Value[]): void {
    const verified = new Set(values.filter(isVerified).map(({ source }) => source));
    for (const { results, compared } of this.#units()) {
      if (compared.equal > 0 || !results.some((one) => verified.has(one))) continue;
      const what = `${kind}: verified, though nothing was compared`;
      this.#findings.push({ fault: "wrong mark", what });
    }
  }

  /** A run's own version can restore what it has written: else all is executed, unnoticed. */
  #compareRestored(): void {
    for (const { wholeBecause: why = "" } of this.#units()) {
      if (/cannot be restored/.test(why))
        this.#findings.push({ fault: "plan not kept", what: why });
    }
  }

  #units(): UnitState[] {
    const folder = join(this.#project.folder, ".afterlog/replays");
    const replays = existsSync(folder) ? readdirSync(folder) : [];
    return replays.flatMap((replay) => {
      const path = join(folder, replay, "state.json");
      return (JSON.parse(readFileSync(path, "utf8")) as ReplayState).units;
    });
  }

  /** Why a name is not promised, as the plan says it. */
  #unsure(name: string): string {
    const said = this.#said.get(name) ?? "";
    const plan = planIn(said);
    if (!plan) return "";
    const statements = plan.landings.flatMap((landing) => landing.statements);
    const own = statements.filter((one) => one.name === name);
    const why = own.flatMap(({ unsure = [], mayChange = [] }) => [...unsure, mayChange].flat());
    const notes = plan.runs.flatMap((one) => one.notes);
    return [...new Set([...why, ...notes])].join("; ");
  }

  /** Recording changes nothing of what a program computes, resumed or not. */
  async #compareRecord(version: number, truth: readonly Value[]): Promise<void> {
    const all = await this.#values(this.#runs[version] ?? "", "recorded", ["loss"]);
    // A framework that trains in the steps logs its own.
    const logged = all.filter(({ at }) => !at.includes("."));
    const right = truth.filter(({ name }) => name === "loss");
    const [own, expected] = [logged, right].map((list) => list.map(({ value }) => value).join(" "));
    const what = `version ${version} logged ${own}, truth ${expected}`;
    if (own !== expected) this.#findings.push({ fault: "recorded otherwise", what });
  }

  #compareValues(
    version: string,
    {
      expected,
      values,
    }: { readonly expected: readonly Value[]; readonly values: readonly Value[] },
  ): void {
    const [should, has] = [grouped(expected), grouped(values)];
    for (const place of new Set([...should.keys(), ...has.keys()])) {
      const [right = [], own = []] = [should.get(place), has.get(place)];
      for (let n = 0; n < Math.max(right.length, own.length); n++) {
        this.#judge(`${version} ${place} #${n}`, right[n], own[n]);
      }
    }
  }

  #judge(where: string, right: Value | undefined, own: Value | undefined): void {
    const what = `${where}: ${own?.value} (${own?.check}), truth ${right?.value}`;
    const report = (fault: Fault): void => void this.#findings.push({ fault, what });
    const mark = own ? (own.check ?? "none") : "missing";
    this.#marks[mark] = (this.#marks[mark] ?? 0) + 1;
    // A difference that nobody can explain may end a replay, which says so.
    if (!own) return this.#program.unknown ? undefined : report("missing");
    const isRight = right !== undefined && Object.is(right.value, own.value);
    // Who does not know a source does not know what depends on it.
    const isFounded = mark !== "diverged" || this.#program.unknown;
    if (isRight) return isFounded ? undefined : report("unfounded divergence");
    if (mark === "verified" || mark === "restored") return report("wrong mark");
    // What depends on a clock may be another value, if nothing is promised.
    if (!this.#program.noisy) report("wrong value");
  }

  async refuse(placed: Placed): Promise<void> {
    this.write(this.#program.render(this.#program.versions - 1, [placed]));
    const names = placed.names;
    await this.ask({ edits: [placed], workers: 1 });
    const said = this.#said.get(names[0] ?? "") ?? "";
    const run = this.#runs.at(-1) ?? "";
    const found = await this.#values(run, "hindsight", names);
    if (found.length > 0 || !placed.edit.refused?.test(said)) {
      this.#findings.push({ fault: "answered", what: `${placed.edit.kind}: ${said}` });
    }
  }

  // --- what is true, and what was found -----------------------------------------------------------

  #truth(version: number): Value[] {
    const stdout = readFileSync(join(this.#runFolder(version), "stdout.log"), "utf8");
    const had = [...stdout.matchAll(/^(had\d+) (\[.*\])$/gm)].map(([, name, list]) => {
      return `"${name}": ${list}`;
    });
    const files = this.#program.truth(version, `{ ${had.join(", ")} }`);
    return valuesOf(execute(files, this.#program.entry, this.#interpreter));
  }

  get #interpreter(): string {
    const { language, packaged } = this.#program;
    if (language === "typescript") return process.execPath;
    if (packaged === undefined) return "python3";
    const found = torchInterpreter();
    if (found === undefined) throw new Error(`no interpreter has ${packaged}`);
    return found;
  }

  #runFolder(version: number): string {
    return join(this.#project.folder, ".afterlog/runs", this.#runs[version] ?? "");
  }

  async #values(run: string, origin: string, names: readonly string[]): Promise<Value[]> {
    if (names.length === 0) return [];
    const list = names.map((name) => `'${name}'`).join(", ");
    // A replay that is asked anew after a kill gives some cells again: the newer result counts, as in a frame.
    const sql = `SELECT name, indices, source, number AS value, "check" FROM logs WHERE run = '${run}'
      AND origin = '${origin}' AND name IN (${list})
      QUALIFY source = max(source) OVER (PARTITION BY name, path) ORDER BY source, seq`;
    const rows = await useCatalog(this.#project.store, {}, ({ connection }) =>
      connection.rows(sql),
    );
    return rows.map((row) => {
      const indices = (row["indices"] ?? []) as readonly unknown[];
      return { ...(row as unknown as Value), at: indices.slice(0, 2).join(".") };
    });
  }

  get verdict(): Verdict {
    const { seed, language, noisy, versions, edits, refused } = this.#program;
    return {
      seed,
      language,
      noisy,
      versions,
      kinds: [...edits, ...refused].map(({ edit }) => edit.kind),
      marks: this.#marks,
      edits: this.#edits,
      refusals: this.#refusals,
      executed: this.#executed,
      whole: this.#whole,
      interventions: refused.length,
      weak: this.#weak,
      findings: this.#findings,
    };
  }
}

/** What a program prints when it is executed by itself. */
function execute(files: Files, entry: string, command: string): string {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-hunt-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(ROOT, "node_modules/@tensorflow"), join(folder, "node_modules/@tensorflow"));
    for (const [name, text] of Object.entries(files)) {
      const isTypeScript = name.endsWith(".ts");
      const path = join(folder, isTypeScript ? name.replace(/\.ts$/, ".mjs") : name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, isTypeScript ? transformSync(text, { mode: "strip-only" }).code : text);
    }
    const program = entry.replace(/\.ts$/, ".mjs");
    return execFileSync(command, [program], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(`the truth failed:\n${textOf(files)}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Values by the loops around them: the truth says where these begin and end. */
function valuesOf(printed: string): Value[] {
  const values: Value[] = [];
  let at: number[] = [];
  for (const line of printed.split("\n")) {
    const [epoch = -1, step = -1] = at;
    if (line === "> epoch") at = [epoch + 1];
    else if (line === "> step") at = [epoch, step + 1];
    else if (line === "> out") at = [epoch];
    else if (line === "> end") at = [];
    for (const [, name = "", value] of line.matchAll(/\b(ask_\w+|loss) (\S+)/g)) {
      values.push({ name, at: at.join("."), value: Number(value) });
    }
  }
  return values;
}

function grouped(values: readonly Value[]): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const place = `${value.name} @ ${value.at}`;
    groups.set(place, [...(groups.get(place) ?? []), value]);
  }
  return groups;
}

function isVerified({ check }: Value): boolean {
  return check === "verified";
}

function isIn({ at }: Value, range: Asked["range"]): boolean {
  const epoch = Number(at.split(".")[0]);
  return !range || (at !== "" && epoch >= range[0] && epoch <= range[1]);
}

type PlannedUnit = Plan["runs"][number]["units"][number];

/** Whether an iteration is in the ranges of two processes. */
function overlap(one: PlannedUnit, other: PlannedUnit): boolean {
  if (one.part && other.part) return share(one.part, other.part);
  return one.ranges.some((box) => {
    return other.ranges.some((range) => {
      return Object.entries(box).every(([loop, [first, last]]) => {
        const [from, to] = range[loop] ?? [first, last];
        return first <= to && from <= last;
      });
    });
  });
}

/** Whether two parts of one question have a place in common: one of all has what is left of it. */
function share(one: UnitPart, other: UnitPart): boolean {
  if (other.rest) return one.rest === true || !isTakenFrom(other, one);
  if (one.rest) return !isTakenFrom(one, other);
  return one.spans.some((span) => {
    return other.spans.some(({ entry, from, to }) => {
      return entry === span.entry && from <= (span.to ?? Infinity) && span.from <= (to ?? Infinity);
    });
  });
}

function isTakenFrom(rest: UnitPart, part: UnitPart): boolean {
  const taken = new Set(rest.spans.map((span) => JSON.stringify(span)));
  return part.spans.every((span) => taken.has(JSON.stringify(span)));
}

function rangesOf(units: readonly PlannedUnit[]): string {
  return units.map(({ ranges, part }) => JSON.stringify(part ?? ranges)).join(" ");
}

function planIn(said: string): Plan | undefined {
  const line = said.split("\n").find((one) => one.includes('"kind":"plan"'));
  return line === undefined ? undefined : (JSON.parse(line) as { plan: Plan }).plan;
}

/** Without the cells and the long plan. */
function shortened(stdout: string): string {
  const lines = stdout.split("\n").filter((line) => !/"kind":"(?:cell|progress)"/.test(line));
  return lines.join("\n");
}

/** Why a question was not answered, in a line. */
function reasonOf(said: string): string {
  // What a part brings along has a `why`, too.
  const reason =
    /"refusal":"((?:[^"\\]|\\.)+)/.exec(said) ??
    /"code":"(?!renamed|carried_|differs)\w+","text":"((?:[^"\\]|\\.)+)/.exec(said) ??
    /"kind":"failure".*?"why":"((?:[^"\\]|\\.)+)/.exec(said) ??
    /error: (.*)/.exec(said);
  return reason?.[1] ?? said.slice(-600);
}

export function textOf(files: Files): string {
  return Object.entries(files)
    .filter(([name]) => !name.startsWith("node_modules"))
    .map(([name, text]) => `--- ${name}\n${text}`)
    .join("\n");
}
