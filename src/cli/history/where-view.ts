/** @file Landings as a person reads them: a diff for each group of versions, and what to do. Pure. */
import type { PlannedStatement } from "../../format/index.ts";
import type { DiffHunk, LandingGroup } from "../../replayer/index.ts";
import { formatCount } from "../terminal/format-units.ts";
import { landingText } from "./where-files.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

/** `f1_ped  train.ts:61  al.log("f1_ped", …)`: what is asked, in the newest version. */
export function statementText(statements: readonly PlannedStatement[], color: boolean): string {
  const { bold, dim } = createColors(color);
  const lines = statements.map(({ name, file, line, text, version }) => {
    const of = version === undefined ? "" : ` @ ${version.slice(0, 7)}`;
    return onOneLine(`${bold(name)}  ${file}:${line}${of}  ${dim(text.split("\n")[0] ?? "")}`);
  });
  return `${[...new Set(lines)].join("\n")}\n\n`;
}

/** `commit`: the version that was named. */
interface GroupsView {
  readonly commit: string | undefined;
  readonly color: boolean;
  readonly columns: number;
}

export function groupsText(
  name: string,
  groups: readonly LandingGroup[],
  options: GroupsView,
): string {
  return groups.map((group) => groupText(name, group, options)).join("\n");
}

function groupText(
  name: string,
  group: LandingGroup,
  { commit, color, columns }: GroupsView,
): string {
  const { dim, red } = createColors(color);
  const title = versionsTitle(group);
  const version = (commit ?? newestCommit(group)).slice(0, 7);
  if (group.verdict === "cannot") {
    const help = `  write it for this version:  afterlog where ${name} ${version} --edit 'al.log(…)'`;
    return `${title}   ${red("cannot")}\n  ${onOneLine(group.why)}\n${dim(help)}\n`;
  }
  const parts = group.landings.map((landing) => {
    const text = group.files.find(({ file }) => file === landing.file)?.text ?? "";
    const isShown = group.hunks.length > 0;
    return landingText(
      landing,
      { file: `${landing.file ?? ""} @ ${title}`, text },
      { color, columns, isShown },
    );
  });
  const command = `afterlog where ${name} ${version}`;
  const next =
    group.verdict === "review"
      ? `accept:  ${command} --accept\nor:  --at LINE, another line   --edit, another text   --exclude, leave it out\n`
      : "";
  const remark = group.silent === undefined ? "" : `! ${group.silent}\n`;
  return `${parts.join("")}${remark}${diffText(group.hunks, { color, columns })}${dim(next)}`;
}

/** Why a statement is there stands behind it, in one column where lines are short enough. */
const REASON_COLUMN = 60;

/** The whole of what is put in, as a diff of the version. */
function diffText(
  hunks: readonly DiffHunk[],
  { color, columns }: Pick<GroupsView, "color" | "columns">,
): string {
  const { green, red, cyan, dim } = createColors(color);
  const paint = { "+": green, "-": red, " ": dim } as const;
  const added = hunks.flatMap(({ lines }) => lines.filter(({ why }) => why !== undefined));
  const longest = Math.max(0, ...added.map(({ text }) => text.length + 1));
  const column = Math.min(longest, REASON_COLUMN, Math.max(20, columns - 28)) + 2;
  const several = new Set(hunks.map(({ file }) => file)).size > 1;
  const lines = hunks.flatMap((hunk) => [
    cyan(`${hunk.head}${several ? ` ${hunk.file}` : ""}`),
    ...hunk.lines.map(({ sign, text, why }) => {
      const line = paint[sign](`${sign}${text}`);
      if (why === undefined) return line;
      return `${line}${" ".repeat(Math.max(2, column - text.length - 1))}${dim(`← ${why}`)}`;
    }),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

/** `9f8e7d6..41aa02c (31 versions, 172 runs)`. */
function versionsTitle({ runs }: LandingGroup): string {
  const commits = [
    ...new Set(runs.map(({ version }) => version?.commit.slice(0, 7) ?? "no version")),
  ];
  const count = `${formatCount(runs.length)} run${runs.length === 1 ? "" : "s"}`;
  const [newest = ""] = commits;
  if (commits.length === 1) return `${newest} (${count})`;
  return `${newest}..${commits.at(-1)} (${formatCount(commits.length)} versions, ${count})`;
}

function newestCommit({ runs }: LandingGroup): string {
  return runs[0]?.version?.commit ?? "";
}
