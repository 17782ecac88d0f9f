/**
 * @file `afterlog where NAME [VERSION]`: where a statement lands in each past version, and what the
 * user decides about it. Versions in which it lands alike are shown once.
 */
import { AfterlogError } from "../format/index.ts";
import type { Manifest } from "../format/index.ts";
import type { Choice, Decision, LandedRuns, LandingGroup } from "../replayer/index.ts";
import {
  groupLandings,
  landedId,
  landVersions,
  textHash,
  writeDecisions,
} from "../replayer/index.ts";
import type { Project } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { editText } from "./edit-text.ts";
import { requireProject, withCatalog } from "./project.ts";
import { readRunNames, resolveRun } from "../app/index.ts";
import { groupObject, groupsText, statementText } from "./where-view.ts";

type WhereOptions = OptionsOf<"where">;

export async function whereCommand(
  context: CliContext,
  [name, version]: readonly [string, string | undefined],
  options: WhereOptions,
): Promise<number> {
  const project = requireProject(context);
  const landed = await landVersions(project, name);
  const commit =
    version === undefined ? undefined : await findCommit(context, landed, { name, word: version });
  const groups = groupLandings(landed, name);
  const shown = groups.filter(({ runs }) => commit === undefined || runs.some(isOf(commit)));
  if (!isDeciding(options)) {
    sayDropped(context, project, landed.dropped);
    show(context, { name, landed, groups: shown, commit });
    return 0;
  }
  const group = theGroup(name, shown, commit);
  const decisions = decide(context, { name, landed, group, commit, options });
  const after = await landVersions(project, name, decisions);
  const isForgotten = decisions.every(({ choice }) => choice.kind === "forget");
  if (!isForgotten && !options.exclude) refuseUnusable(name, after, decisions);
  writeDecisions(project.store, decisions);
  const commits = new Set(group.runs.map((run) => run.version?.commit));
  const changed = groupLandings(after, name).filter(({ runs }) =>
    runs.some((run) =>
      commit === undefined ? commits.has(run.version?.commit) : isOf(commit)(run),
    ),
  );
  show(context, { name, landed: after, groups: changed, commit });
  return 0;
}

const isOf =
  (commit: string) =>
  ({ version }: Manifest): boolean =>
    version?.commit === commit;

function isDeciding({ accept, at, edit, exclude, forget }: WhereOptions): boolean {
  const chosen = [accept, at !== undefined || edit !== undefined, exclude, forget].filter(Boolean);
  if (chosen.length < 2) return chosen.length === 1;
  throw new AfterlogError("AL001", "decide one thing at a time", {
    help: ["one of  --accept, --at and --edit, --exclude, --forget"],
  });
}

interface Shown {
  readonly name: string;
  readonly landed: LandedRuns;
  readonly groups: readonly LandingGroup[];
  readonly commit: string | undefined;
}

function show(context: CliContext, { name, landed, groups, commit }: Shown): void {
  if (context.json) {
    const { statements } = landed;
    const told = { schema: 1, name, statements, groups: groups.map(groupObject) };
    context.out(`${JSON.stringify(told, undefined, 2)}\n`);
    return;
  }
  const { color, columns } = context;
  if (commit === undefined) context.out(statementText(landed.statements, color));
  context.out(groupsText(name, groups, { commit, color, columns }));
}

/** A decision that holds no more is said once. */
function sayDropped(context: CliContext, project: Project, dropped: readonly Decision[]): void {
  if (dropped.length === 0) return;
  for (const { name, file, choice } of dropped) {
    const what = choice.kind === "exclude" ? "leaving out" : "the place of";
    context.err(`dropped: ${what} ${name} in ${file}: the statement or that file is another now\n`);
  }
  const when = new Date().toISOString();
  writeDecisions(
    project.store,
    dropped.map((one) => ({ ...one, choice: { kind: "forget" }, when })),
  );
}

/** The version that is meant: its commit or the user's, the beginning of one, or a run. */
async function findCommit(
  context: CliContext,
  landed: LandedRuns,
  { name, word }: { readonly name: string; readonly word: string },
): Promise<string> {
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
  const run = await withCatalog(context, async ({ connection }) => {
    const runs = await readRunNames(connection);
    const isRun = runs.some((one) => one.run.startsWith(word) || one.name === word);
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
  readonly landed: LandedRuns;
  readonly group: LandingGroup;
  readonly commit: string | undefined;
  readonly options: WhereOptions;
}

function decide(context: CliContext, deciding: Deciding): Decision[] {
  const { name, group, landed, commit, options } = deciding;
  const isPlacing = options.at !== undefined || options.edit !== undefined;
  const [landing, second] = group.landings;
  if (isPlacing && second) {
    throw new AfterlogError("AL001", `${group.landings.length} statements log ${name}`, {
      help: ["accept or exclude them, or give each a name of its own"],
    });
  }
  const { file: given, line } = placeOf(options.at);
  const shown = landing?.text ?? group.statements[0] ?? "";
  const text = options.edit === true ? editText(context, shown) : options.edit;
  const place = {
    ...(line === undefined ? {} : { line }),
    ...(text === undefined ? {} : { text }),
  };
  const when = new Date().toISOString();
  // A line is one of the text that was shown: other versions of the group may differ elsewhere.
  const runs = line === undefined ? group.runs : group.runs.filter(isOf(commit ?? newest(group)));
  const decisions = runs.flatMap((manifest) =>
    ownLandings(deciding, manifest).flatMap((one, at): Decision[] => {
      const file = given ?? one.file ?? manifest.program;
      const old = landed.textOf(manifest, file);
      if (old === undefined) return [];
      const statement = group.statements[at] ?? "";
      const choice = choiceOf(options, one, place);
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

function placeOf(at: string | undefined): { file?: string; line?: number } {
  if (at === undefined) return {};
  const [, file, line] = /^(?:(.+):)?(\d+)$/.exec(at) ?? [];
  if (line === undefined) {
    throw new AfterlogError("AL001", `--at ${at} is not a line`, {
      help: ["a line of the older file:  --at 52  or  --at FILE:52"],
    });
  }
  return { line: Number(line), ...(file === undefined ? {} : { file }) };
}

function choiceOf(
  { accept, exclude, forget }: WhereOptions,
  landing: LandingGroup["landings"][number],
  place: { readonly line?: number; readonly text?: string },
): Choice {
  if (forget) return { kind: "forget" };
  if (exclude) return { kind: "exclude" };
  return accept ? { kind: "accept", landed: landedId(landing) } : { kind: "place", ...place };
}

/** What was decided must be possible. Throws AL024 if it is not. */
function refuseUnusable(name: string, after: LandedRuns, decisions: readonly Decision[]): void {
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
