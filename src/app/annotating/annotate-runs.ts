/**
 * @file What people say of runs: tags, a note, a name, that one is hidden. Each answer holds what was
 * there before, from which the caller says how to get back to it.
 */
import type { Catalog } from "../../catalog/index.ts";
import { literal } from "../../catalog/index.ts";
import type { AnnotationChange } from "../../format/index.ts";
import { AfterlogError, nearestName, NOTE_CHARACTERS_MAX, tagProblem } from "../../format/index.ts";
import type { RunChange } from "../../store/index.ts";
import { annotate } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import { cannotBeName, checkRunName } from "./run-name.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { readRunNames, resolveRun } from "../run-reference.ts";
import type { RunChoice } from "./choose-runs.ts";
import { chooseRuns } from "./choose-runs.ts";

/** What is said of a run. */
export interface AnnotatedRun {
  readonly run: string;
  readonly name: string | null;
  readonly note: string | null;
  readonly tags: readonly string[];
  readonly hidden: boolean;
}

/** One run of an answer, as JSON: what is said of it now, and what was before. */
export interface AnnotationReport extends AnnotatedRun {
  readonly before: Omit<AnnotatedRun, "run">;
}

/** The runs, with what is said of them. Throws AL001, AL004, AL020. */
export async function readAnnotated(ports: Ports, choice: RunChoice): Promise<AnnotatedRun[]> {
  return withCatalog(ports, async (catalog) => {
    return annotatedRuns(catalog, await chooseRuns(catalog.connection, choice));
  });
}

async function annotatedRuns(
  { connection }: Catalog,
  runs: readonly string[],
): Promise<AnnotatedRun[]> {
  const rows = await connection.rows(`SELECT run, name, note, tags, hidden FROM runs
    WHERE run IN (${runs.map(literal).join(", ")}) ORDER BY ordinal DESC, run`);
  return rows.map(({ run, name, note, tags, hidden }) => ({
    run: String(run),
    name: typeof name === "string" ? name : null,
    note: typeof note === "string" ? note : null,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    hidden: hidden === true,
  }));
}

export interface TagRequest extends RunChoice {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Throws AL009 for what cannot be a tag, and for one to take away that none of the runs has. */
export async function tagRuns(ports: Ports, request: TagRequest): Promise<AnnotationReport[]> {
  const { add, remove } = request;
  for (const tag of [...add, ...remove]) checkTag(tag);
  const both = add.find((tag) => remove.includes(tag));
  if (both !== undefined) {
    throw new AfterlogError("AL009", `${both} is to be added and taken away`, {
      help: [`say one of both:  +${both}  or  -${both}`],
    });
  }
  const runs = await readAnnotated(ports, request);
  const had = [...new Set(runs.flatMap(({ tags }) => tags))];
  const strange = remove.find((tag) => !had.includes(tag));
  if (strange !== undefined) throw unknownTag(strange, had, runs.length);
  const all = runs.map((run) => {
    const added = add.filter((tag) => !run.tags.includes(tag));
    const removed = remove.filter((tag) => run.tags.includes(tag));
    const changes = [
      ...added.map((tag): AnnotationChange => ({ k: "tag", tag, on: true })),
      ...removed.map((tag): AnnotationChange => ({ k: "tag", tag, on: false })),
    ];
    const kept = run.tags.filter((tag) => !removed.includes(tag));
    const tags = [...new Set([...kept, ...added])].toSorted();
    return { run, changes, now: { ...run, tags } };
  });
  return write(ports, all);
}

function checkTag(tag: string): void {
  const problem = tagProblem(tag);
  if (problem === undefined) return;
  throw new AfterlogError("AL009", `${JSON.stringify(tag)} cannot be a tag: ${problem}`, {
    help: ["a tag is one word:  afterlog tag RUN +good -needs-work"],
    data: { tag },
  });
}

function unknownTag(tag: string, had: readonly string[], count: number): AfterlogError {
  const close = nearestName(tag, had);
  const who = count === 1 ? "the run has no" : "none of these runs has the";
  return new AfterlogError("AL009", `${who} tag ${JSON.stringify(tag)}`, {
    help: [
      close === undefined
        ? had.length === 0
          ? "see all tags:  afterlog tag"
          : `there is: ${had.join(", ")}`
        : `did you mean -${close}?`,
    ],
    data: { tag, tags: had },
  });
}

/** How many runs have each tag, the most used first. */
export async function countTags(ports: Ports): Promise<{ tag: string; runs: number }[]> {
  return withCatalog(ports, async ({ connection }) => {
    const rows = await connection.rows(`SELECT tag, count(*)::DOUBLE AS runs
      FROM (SELECT unnest(tags) AS tag FROM runs) GROUP BY tag ORDER BY runs DESC, tag`);
    return rows.map(({ tag, runs }) => ({ tag: String(tag), runs: Number(runs) }));
  });
}

/** `text`: null takes the note away. Throws AL004, AL009. */
export async function noteRun(
  ports: Ports,
  reference: string,
  text: string | null,
): Promise<AnnotationReport> {
  const problem = text === null ? undefined : noteProblem(text);
  if (problem !== undefined) {
    throw new AfterlogError("AL009", `that cannot be a note: ${problem}`, {
      help: ['a note is text:  afterlog note RUN "the learning rate was too high"'],
    });
  }
  const [run] = await readAnnotated(ports, { runs: [reference] });
  return writeOne(ports, run, { k: "note", text }, { note: text });
}

function noteProblem(text: string): string | undefined {
  if (text.trim() === "") return "it is empty (--remove takes a note away)";
  if (text.length > NOTE_CHARACTERS_MAX) {
    return `it has ${text.length} characters, more than ${NOTE_CHARACTERS_MAX}`;
  }
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) || !text.isWellFormed()
    ? "it has characters that cannot be shown"
    : undefined;
}

/** `name`: null takes it away. Throws AL004, and AL009 if it cannot be a name, or is that of another run. */
export async function nameRun(
  ports: Ports,
  reference: string,
  name: string | null,
): Promise<AnnotationReport> {
  if (name !== null) checkRunName(name);
  const run = await withCatalog(ports, async (catalog) => {
    const { connection } = catalog;
    const id = await resolveRun(connection, reference);
    if (name !== null) {
      const others = (await readRunNames(connection)).filter((one) => one.run !== id);
      const same = others.find((one) => one.name === name);
      if (same) throw cannotBeName(name, `another run is: (id ${same.run})`);
      const begins =
        others.find((one) => one.run.startsWith(name)) ?? (id.startsWith(name) && { run: id });
      if (begins) throw cannotBeName(name, `an id begins with it: (id ${begins.run})`);
    }
    const [found] = await annotatedRuns(catalog, [id]);
    return found;
  });
  return writeOne(ports, run, { k: "name", text: name }, { name });
}

/** Hides runs from the list, or shows them again. */
export async function hideRuns(
  ports: Ports,
  choice: RunChoice,
  hidden: boolean,
): Promise<AnnotationReport[]> {
  const all = (await readAnnotated(ports, choice)).map((run) => {
    const changes: AnnotationChange[] = run.hidden === hidden ? [] : [{ k: "hidden", on: hidden }];
    return { run, changes, now: { ...run, hidden } };
  });
  return write(ports, all);
}

interface Changed {
  readonly run: AnnotatedRun;
  readonly changes: readonly AnnotationChange[];
  readonly now: AnnotatedRun;
}

/** In one line of the file each, all at one time. What is so already is not said again. */
function write(ports: Ports, all: readonly Changed[]): AnnotationReport[] {
  const changes = all.flatMap(({ run: { run }, changes: own }) => {
    return own.map((change): RunChange => ({ run, change }));
  });
  const { store } = requireProject(ports);
  if (changes.length > 0) annotate(store, changes, ports.now().getTime());
  return all.map(({ run: { name, note, tags, hidden }, now }) => {
    return { ...now, before: { name, note, tags, hidden } };
  });
}

function writeOne(
  ports: Ports,
  run: AnnotatedRun | undefined,
  change: Extract<AnnotationChange, { text: unknown }>,
  now: Partial<AnnotatedRun>,
): AnnotationReport {
  if (!run) throw new Error("the run was removed in between");
  const isSame = run[change.k] === change.text;
  const [report] = write(ports, [
    { run, changes: isSame ? [] : [change], now: { ...run, ...now } },
  ]);
  if (!report) throw new Error("nothing was written");
  return report;
}
