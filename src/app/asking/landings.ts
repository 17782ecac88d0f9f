/**
 * @file Where a statement lands in each past version, and what somebody decides about it. Versions in
 * which it lands alike are one group.
 */
import type { Manifest, PlannedStatement } from "../../format/index.ts";
import { AfterlogError, splitSharedName } from "../../format/index.ts";
import type {
  LandingChoice,
  KeptDecision,
  Propagated,
  LandingGroup,
} from "../../replayer/index.ts";
import {
  groupLandings,
  LandedQuestion,
  landedId,
  textHash,
  unifiedDiff,
  writeDecisions,
} from "../../replayer/index.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { readRunNames, resolveRun } from "../run-reference.ts";

export interface LandingsQuestion {
  /** A name of a log statement. */
  readonly name: string;
  /** A commit, the beginning of one, or a run; all versions if it is not given. */
  readonly version?: string | undefined;
  /** Functions and classes of the working tree that are used in place of a version's own. */
  readonly bring?: readonly string[] | undefined;
}

/** Versions in which a statement lands alike, as JSON. */
export interface LandingGroupReport {
  readonly verdict: LandingGroup["verdict"];
  readonly why: string;
  readonly versions: readonly string[];
  readonly runs: readonly string[];
  readonly landings: LandingGroup["landings"];
  readonly files: LandingGroup["files"];
  /** Why it may log nothing there; absent: nothing is seen to keep it from that. */
  readonly silent?: string;
  /** What is put into the newest of these versions: as a unified diff, and by statements. */
  readonly diff: string;
  readonly parts: readonly LandedPart[];
}

/** A statement that is put in. */
export interface LandedPart {
  readonly file: string;
  readonly text: string;
  /** `asked`, `needed`, `changes what it reads`, `undoes it`, `same part`. */
  readonly why: string;
}

/** Where a statement lands, as JSON. */
export interface LandingsReport {
  readonly schema: 1;
  readonly name: string;
  /** In the newest version that has them. */
  readonly statements: readonly PlannedStatement[];
  readonly groups: readonly LandingGroupReport[];
}

export interface ShownLandings {
  readonly report: LandingsReport;
  readonly groups: readonly LandingGroup[];
  /** The version that was named. */
  readonly commit: string | undefined;
  /** What was decided and holds no more: see `forgetDecisions`. */
  readonly dropped: readonly KeptDecision[];
}

/** What is decided about a group of versions. */
export type LandingDecision =
  /** It lands where it should; these versions are left out; as if nothing had been decided. */
  | { readonly kind: "accept" | "exclude" | "forget" }
  | {
      readonly kind: "place";
      /** A file and a line of the older version: it goes before that line. */
      readonly file?: string;
      readonly line?: number;
      /** The statement as it is to be written, maybe made from what it is now. */
      readonly text?: string | ((text: string) => string);
    };

/** Looks where the statement of a name lands. Throws AL004, AL021. */
export async function showLandings(
  ports: Ports,
  { name, version, bring }: LandingsQuestion,
): Promise<ShownLandings> {
  const { landed } = await landName(ports, { name, bring });
  const commit = await findCommit(ports, landed, { name, word: version });
  const groups = groupsOf(landed, name, commit);
  return { ...shown(name, landed, groups, commit), dropped: landed.dropped };
}

/** Decisions that no longer hold are reported once, and then forgotten. */
export function forgetDecisions(ports: Ports, dropped: readonly KeptDecision[]): void {
  if (dropped.length === 0) return;
  const when = ports.now().toISOString();
  writeDecisions(
    requireProject(ports).store,
    dropped.map((one) => ({ ...one, choice: { kind: "forget" }, when })),
  );
}

/** Keeps a decision, and answers where it lands then. Throws AL001, AL004, AL021, AL024. */
export async function decideLanding(
  ports: Ports,
  { name, version, bring }: LandingsQuestion,
  decision: LandingDecision,
): Promise<ShownLandings> {
  const question = await landName(ports, { name, bring });
  const commit = await findCommit(ports, question.landed, { name, word: version });
  return decideIn(ports, question, { name, commit }, decision);
}

/** The same of a question that is open; `commit`: a version of the group, the only one if none is named. */
export async function decideIn(
  ports: Pick<Ports, "now">,
  question: LandedQuestion,
  { name, commit }: { readonly name: string; readonly commit: string | undefined },
  decision: LandingDecision,
): Promise<ShownLandings> {
  const { landed } = question;
  const group = theGroup(name, groupsOf(landed, name, commit), commit);
  const when = ports.now().toISOString();
  const decisions = decide({ name, landed, group, commit, decision, when });
  const after = await question.tried(decisions);
  const { kind } = decision;
  if (kind === "accept" || kind === "place") refuseUnusable(name, after, decisions);
  question.keep(decisions, after);
  const commits = new Set(group.runs.map((run) => run.version?.commit));
  const changed = groupLandings(after, name).filter(({ runs }) =>
    runs.some((run) =>
      commit === undefined ? commits.has(run.version?.commit) : isOf(commit)(run),
    ),
  );
  return shown(name, after, changed, commit);
}

function landName(
  ports: Ports,
  { name, bring = [] }: Pick<LandingsQuestion, "name" | "bring">,
): Promise<LandedQuestion> {
  const question = { names: [name], lines: [], logpoints: [], bring };
  return LandedQuestion.open(requireProject(ports), question);
}

function groupsOf(landed: Propagated, name: string, commit: string | undefined): LandingGroup[] {
  const groups = groupLandings(landed, name);
  return groups.filter(({ runs }) => commit === undefined || runs.some(isOf(commit)));
}

function shown(
  name: string,
  { statements }: Propagated,
  groups: readonly LandingGroup[],
  commit: string | undefined,
): ShownLandings {
  const report = { schema: 1, name, statements, groups: groups.map(groupReport) } as const;
  return { report, groups, commit, dropped: [] };
}

export function groupReport(group: LandingGroup): LandingGroupReport {
  const { verdict, why, landings, files, silent, hunks, runs } = group;
  return {
    verdict,
    why,
    versions: [...new Set(runs.flatMap(({ version }) => version?.commit ?? []))],
    runs: runs.map(({ run }) => run),
    landings,
    files,
    ...(silent === undefined ? {} : { silent }),
    diff: unifiedDiff(hunks),
    parts: hunks.flatMap(({ file, lines }) => {
      return lines.flatMap(({ text, why: reason }): LandedPart[] => {
        return reason === undefined ? [] : [{ file, text: text.trim(), why: reason }];
      });
    }),
  };
}

const isOf =
  (commit: string) =>
  ({ version }: Manifest): boolean =>
    version?.commit === commit;

/** The version that is meant: its commit or the user's, the beginning of one, or a run. */
async function findCommit(
  ports: Ports,
  landed: Propagated,
  { name, word }: { readonly name: string; readonly word: string | undefined },
): Promise<string | undefined> {
  if (word === undefined) return undefined;
  const versions = landed.runs.flatMap(({ manifest }) => manifest.version ?? []);
  const commits = [...new Set(versions.map(({ commit }) => commit))];
  const found = isCommit(word) ? commits.filter((one) => one.startsWith(word)) : [];
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) {
    throw new AfterlogError("AL004", `${found.length} versions begin with ${word}`, {
      notes: found.slice(0, 8),
      help: ["give more of the commit"],
    });
  }
  // The user's own commit, where nothing was changed since: such versions have one source.
  const clean = versions.find(({ head, dirty }) => dirty === 0 && isHead(head, word));
  if (clean) return clean.commit;
  const run = await withCatalog(ports, async ({ connection }) => {
    const runs = await readRunNames(connection);
    const called = splitSharedName(word)?.name ?? word;
    const isRun = runs.some((one) => one.run.startsWith(word) || one.name === called);
    if (isRun || word.startsWith("@")) return resolveRun(connection, word);
    throw new AfterlogError("AL004", `there is no version or run ${JSON.stringify(word)}`, {
      help: [`see the versions:  afterlog where ${name}`],
      data: { reference: word },
    });
  });
  const own = landed.runs.find(({ manifest }) => manifest.run === run)?.manifest.version;
  if (own) return own.commit;
  throw new AfterlogError(
    "AL004",
    `${run} is not asked for it: its program has no such statement`,
    {
      help: [`see the versions that are:  afterlog where ${name}`],
    },
  );
}

/** What looks like a commit may be meant as one. */
function isCommit(word: string): boolean {
  return /^[0-9a-f]{4,}$/.test(word);
}

function isHead(head: string | null, word: string): boolean {
  return isCommit(word) && (head?.startsWith(word) ?? false);
}

/** The one group that a decision is about. */
function theGroup(
  name: string,
  groups: readonly LandingGroup[],
  commit: string | undefined,
): LandingGroup {
  const open = groups.filter(({ verdict }) => verdict === "review");
  const [group, other] = commit === undefined && open.length > 0 ? open : groups;
  if (group && !other) return group;
  throw new AfterlogError("AL001", "say which version is meant", {
    notes: groups.map(({ runs, verdict }) => `${runs[0]?.version?.commit.slice(0, 7)}  ${verdict}`),
    help: [
      `for example:  afterlog where ${name} ${groups[0]?.runs[0]?.version?.commit.slice(0, 7)}`,
    ],
  });
}

interface Deciding {
  readonly name: string;
  readonly landed: Propagated;
  readonly group: LandingGroup;
  readonly commit: string | undefined;
  readonly decision: LandingDecision;
  readonly when: string;
}

function decide(deciding: Deciding): KeptDecision[] {
  const { name, group, landed, commit, decision, when } = deciding;
  const placed = decision.kind === "place" ? decision : undefined;
  const [landing, second] = group.landings;
  if (placed && second) {
    throw new AfterlogError("AL001", `${group.landings.length} statements log ${name}`, {
      help: ["accept or exclude them, or give each a name of its own"],
    });
  }
  const { file: given, line } = placed ?? {};
  const text =
    typeof placed?.text === "function"
      ? placed.text(landing?.text ?? group.statements[0] ?? "")
      : placed?.text;
  const place = {
    ...(line === undefined ? {} : { line }),
    ...(text === undefined ? {} : { text }),
  };
  // A line is one of the text that was shown: other versions of the group may differ elsewhere.
  const runs = line === undefined ? group.runs : group.runs.filter(isOf(commit ?? newest(group)));
  const decisions = runs.flatMap((manifest) =>
    ownLandings(deciding, manifest).flatMap((one, at): KeptDecision[] => {
      const file = given ?? one.file ?? manifest.program;
      const old = landed.textOf(manifest, file);
      if (old === undefined) return [];
      const statement = group.statements[at] ?? "";
      const choice = choiceOf(decision, one, place);
      return [{ v: 1, name, statement, file, sha256: textHash(old), choice, when }];
    }),
  );
  const distinct = new Map(decisions.map((one) => [JSON.stringify(one), one]));
  if (distinct.size > 0) return [...distinct.values()];
  throw new AfterlogError("AL024", `that version has no file ${given ?? ""}`, {
    help: [`see where it lands:  afterlog where ${name}`],
  });
}

/** Versions of a group land alike, but each at a line of its own. */
function ownLandings(
  { name, landed, group }: Deciding,
  { run }: LandingGroup["runs"][number],
): LandingGroup["landings"] {
  const own = landed.runs.find(({ manifest }) => manifest.run === run);
  return own?.source.names.find((one) => one.name === name)?.landings ?? group.landings;
}

function newest({ runs }: LandingGroup): string {
  return runs[0]?.version?.commit ?? "";
}

function choiceOf(
  { kind }: LandingDecision,
  landing: LandingGroup["landings"][number],
  place: { readonly line?: number; readonly text?: string },
): LandingChoice {
  if (kind === "place") return { kind, ...place };
  return kind === "accept" ? { kind, landed: landedId(landing) } : { kind };
}

/** What was decided must be possible. Throws AL024 if it is not. */
function refuseUnusable(name: string, after: Propagated, decisions: readonly KeptDecision[]): void {
  const [first] = decisions;
  const about = after.runs.find(({ manifest }) => {
    const text = first && after.textOf(manifest, first.file);
    return text !== undefined && textHash(text) === first?.sha256;
  });
  const landed = about?.source.names.find((one) => one.name === name);
  if (landed?.verdict !== "cannot") return;
  throw new AfterlogError("AL024", `${name} cannot be put there: ${landed.why}`, {
    help: [
      `write it otherwise:  afterlog where ${name} ${about?.manifest.version?.commit.slice(0, 7)} --edit`,
      `or leave the version out:  --exclude`,
    ],
  });
}
