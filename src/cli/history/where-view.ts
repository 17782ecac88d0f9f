/** @file Landings as a person reads them: a diff for each group of versions, and what to do. Pure. */
import pc from "picocolors";
import type { PlannedStatement } from "../../format/index.ts";
import type { LandingGroup } from "../../replayer/index.ts";
import { formatCount } from "../terminal/format-units.ts";
import { landingText } from "./where-files.ts";

/** `f1_ped  train.ts:61  al.log("f1_ped", …)`: what is asked, in the newest version. */
export function statementText(statements: readonly PlannedStatement[], color: boolean): string {
  const { bold, dim } = pc.createColors(color);
  const lines = statements.map(({ name, file, line, text, version }) => {
    const of = version === undefined ? "" : ` @ ${version.slice(0, 7)}`;
    return `${bold(name)}  ${file}:${line}${of}  ${dim(text.split("\n")[0] ?? "")}`;
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
  const { dim, red } = pc.createColors(color);
  const title = versionsTitle(group);
  const version = (commit ?? newestCommit(group)).slice(0, 7);
  if (group.verdict === "cannot") {
    const help = `  write it for this version:  afterlog where ${name} ${version} --edit 'al.log(…)'`;
    return `${title}   ${red("cannot")}\n  ${group.why}\n${dim(help)}\n`;
  }
  const parts = group.landings.map((landing) => {
    const text = group.files.find(({ file }) => file === landing.file)?.text ?? "";
    return landingText(
      landing,
      { file: `${landing.file ?? ""} @ ${title}`, text },
      { color, columns },
    );
  });
  const command = `afterlog where ${name} ${version}`;
  const next =
    group.verdict === "review"
      ? `accept:  ${command} --accept\nor:  --at LINE, another line   --edit, another text   --exclude, leave it out\n`
      : "";
  return `${parts.join("")}${dim(next)}`;
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
