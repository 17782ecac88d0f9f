/** Questions as the server answers them (docs/http.md), and what of them is shown together. */
import { shellWord } from "./show.ts";

export interface PlannedRun {
  readonly run: string;
  readonly scan: "prefix" | "suffix" | "outer" | "inner";
  readonly seconds: number;
  readonly share: number;
  readonly notes: readonly string[];
}

export interface Plan {
  readonly names: readonly string[];
  readonly where: string | null;
  readonly after: string | null;
  readonly statements: readonly {
    readonly name: string;
    readonly file: string;
    readonly line: number;
    readonly text: string;
    readonly loops: readonly string[];
  }[];
  readonly runs: readonly PlannedRun[];
  readonly review: readonly PlannedRun[];
  readonly left_out: readonly {
    readonly run: string;
    readonly why: string;
    readonly filled?: true;
  }[];
  readonly notes?: readonly string[];
  readonly workers: number;
  readonly seconds: number;
  readonly seconds_low: number;
  readonly seconds_high: number;
  readonly money?: number;
  readonly past: { readonly plans: number; readonly median_error: number } | null;
}

export interface LandingGroup {
  readonly name: string;
  readonly group: string | null;
  readonly verdict: "exact" | "moved" | "review" | "cannot" | "present";
  readonly why: string;
  readonly versions: readonly string[];
  readonly runs: readonly string[];
  readonly landings: readonly {
    readonly file: string | null;
    readonly line: number | null;
    readonly text: string | null;
    readonly confidence: number;
    readonly reason: string;
    readonly warnings: readonly { readonly code: string; readonly text: string }[];
  }[];
  readonly files: readonly { readonly file: string; readonly text: string }[];
  readonly silent?: string;
  readonly diff: string;
  readonly parts: readonly { readonly file: string; readonly text: string; readonly why: string }[];
}

export interface QuestionAnswer {
  readonly id: string;
  readonly plan: Plan;
  readonly groups: readonly LandingGroup[];
}

export interface Logpoint {
  readonly file: string;
  readonly line: number;
  readonly assignment: string;
}

/** Runs that are asked alike, and whose versions land alike: one line of the table. */
export interface AskRow {
  readonly key: string;
  readonly groups: readonly LandingGroup[];
  readonly runs: readonly string[];
  readonly versions: readonly string[];
  readonly scan: string;
  readonly verdict: string;
  /** The least certain of its landings. */
  readonly confidence: number;
  readonly isReview: boolean;
  readonly seconds: number;
  /** Why it is not executed. */
  readonly why: string | undefined;
}

export function askRows({ plan, groups }: QuestionAnswer): AskRow[] {
  const groupsOf = (run: string): LandingGroup[] => groups.filter(({ runs }) => runs.includes(run));
  const byKey = new Map<
    string,
    { row: Omit<AskRow, "runs" | "seconds">; runs: string[]; seconds: number }
  >();
  const add = (run: string, scan: string, seconds: number, why?: string): void => {
    const own = groupsOf(run);
    // Where nothing is to be looked at, what has the same reason is one.
    const places =
      why !== undefined && !own.some(isDecided) ? "" : own.map((one) => groups.indexOf(one)).join();
    const key = `${places} ${scan} ${why ?? ""}`;
    const known = byKey.get(key);
    if (known) {
      known.runs.push(run);
      known.seconds += seconds;
      return;
    }
    const worst = own.toSorted((a, b) => RANK.indexOf(b.verdict) - RANK.indexOf(a.verdict))[0];
    const row = {
      key,
      groups: own,
      versions: [...new Set(own.flatMap(({ versions }) => versions))],
      scan,
      verdict: worst?.verdict ?? "exact",
      confidence: Math.min(
        1,
        ...own.flatMap((one) => one.landings.map(({ confidence }) => confidence)),
      ),
      isReview: why === undefined && own.some(({ verdict }) => verdict === "review"),
      why,
    };
    byKey.set(key, { row, runs: [run], seconds });
  };
  for (const { run, scan, seconds } of [...plan.runs, ...plan.review].toReversed())
    add(run, scan, seconds);
  for (const { run, why } of plan.left_out) add(run, "–", 0, why);
  const placeOf = ({ groups: own }: AskRow): number =>
    Math.min(groups.length, ...own.map((one) => groups.indexOf(one)));
  const rows = [...byKey.values()].map(({ row, runs, seconds }): AskRow => ({
    ...row,
    runs,
    seconds,
  }));
  // The newest first, as everywhere; what is left out for one reason after that.
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const RANK = ["present", "exact", "moved", "review", "cannot"];

/** Whether somebody has decided about it, which can be undone. */
export function isDecided({ why }: LandingGroup): boolean {
  return /^(?:you |as decided)/.test(why);
}

export interface DiffLine {
  readonly sign: " " | "+" | "-" | "@";
  /** In the version with the question; of what goes, none. */
  readonly number: number | undefined;
  readonly text: string;
  readonly why: string | undefined;
}

/** What is put in, line by line, with the reason of each part behind its first line. */
export function diffLines({ diff, parts }: LandingGroup): DiffLine[] {
  const open = [...parts];
  let number = 0;
  return diff.split("\n").flatMap((line): DiffLine[] => {
    if (line === "" || line.startsWith("--- ")) return [];
    if (line.startsWith("+++ "))
      return [{ sign: "@", number: undefined, text: line.slice("+++ b/".length), why: undefined }];
    const [, first] = /^@@ -\d+,\d+ \+(\d+),/.exec(line) ?? [];
    if (first !== undefined) {
      number = Number(first);
      return [{ sign: "@", number: undefined, text: "…", why: undefined }];
    }
    const sign = line[0] === "+" || line[0] === "-" ? line[0] : " ";
    const text = line.slice(1);
    const isPart = sign === "+" && open[0]?.text === text.trim();
    const why = isPart ? open.shift()?.why : undefined;
    return [{ sign, number: sign === "-" ? undefined : number++, text, why }];
  });
}

/** The lines of the older file, without what is put in, by their numbers there. */
export function olderLines(
  group: LandingGroup,
): { readonly number: number; readonly text: string }[] {
  const [landing] = group.landings;
  const file = group.files.find((one) => one.file === landing?.file) ?? group.files[0];
  const isOf = (line: DiffLine, at: number, all: readonly DiffLine[]): boolean => {
    const head = all.slice(0, at).findLast(({ sign, text }) => sign === "@" && text !== "…");
    return line.sign === "+" && head?.text === file?.file;
  };
  const put = new Set(
    diffLines(group)
      .filter(isOf)
      .map(({ number }) => number),
  );
  const lines = (file?.text ?? "").replace(/\n$/, "").split("\n");
  return lines
    .flatMap((text, at) => (put.has(at + 1) ? [] : [text]))
    .map((text, at) => ({ number: at + 1, text }));
}

/** The command that asks the same. */
export function askWords({
  names,
  logpoints,
  where,
}: {
  readonly names: readonly string[];
  readonly logpoints: readonly Logpoint[];
  readonly where: string;
}): string {
  return [
    ...names.map(shellWord),
    ...logpoints.flatMap(({ file, line, assignment }) => [
      `--at ${shellWord(`${file}:${line}`)}`,
      shellWord(assignment),
    ]),
    ...(where.trim() === "" ? [] : ["-w", shellWord(where)]),
  ].join(" ");
}

/** `4e98abe..530b387`, the newest first. */
export function versionsText(versions: readonly string[]): string {
  const [newest = "", ...more] = versions.map((commit) => commit.slice(0, 7));
  return more.length === 0 ? newest : `${newest}..${more.at(-1)}`;
}

export function counted(count: number, what: string): string {
  return `${new Intl.NumberFormat("en").format(count)} ${what}${count === 1 ? "" : "s"}`;
}
