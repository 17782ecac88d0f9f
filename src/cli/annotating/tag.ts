/** @file `afterlog tag RUN… +good -bad`: tags of runs. */
import type { AnnotatedRun, AnnotationReport } from "../../app/read.ts";
import { countTags, readAnnotated, tagRuns } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { printRows } from "../terminal/output.ts";
import { runWords, sayWayBack } from "./way-back.ts";

export async function tagCommand(
  context: CliContext,
  words: readonly string[],
  { where }: OptionsOf<"tag">,
): Promise<number> {
  // A word that begins with a hyphen comes behind a blank: it would be taken for an option.
  const given = words.map((word) => word.replace(/^ -/, "-"));
  const isTag = (word: string): boolean => /^[+-]/.test(word);
  const runs = given.filter((word) => !isTag(word));
  const tags = given.filter(isTag);
  const ports = portsOf(context);
  if (tags.length === 0 && runs.length === 0 && where === undefined) return allTags(context);
  // Who names none means the newest, as `show` does.
  const choice = { runs: runs.length === 0 && where === undefined ? ["@"] : runs, where };
  if (tags.length === 0) return printTags(context, await readAnnotated(ports, choice));
  const of = (sign: string): string[] => [
    ...new Set(tags.filter((tag) => tag.startsWith(sign)).map((tag) => tag.slice(1))),
  ];
  const reports = await tagRuns(ports, { ...choice, add: of("+"), remove: of("-") });
  if (context.json) return printTags(context, reports);
  await printTags(context, reports);
  sayWayBack(context, waysBack(reports));
  return 0;
}

async function allTags(context: CliContext): Promise<number> {
  const tags = await countTags(portsOf(context));
  if (tags.length === 0 && !context.json) {
    context.err("no run has a tag:  afterlog tag RUN +good\n");
    return 0;
  }
  await printRows(context, {
    columns: [
      { name: "tag", kind: "text" },
      { name: "runs", kind: "number" },
    ],
    batches: async function* () {
      yield tags.map(({ tag, runs }) => [tag, runs]);
    },
  });
  return 0;
}

function printTags(context: CliContext, runs: readonly AnnotatedRun[]): Promise<number> {
  if (context.json) context.out(`${JSON.stringify(runs)}\n`);
  else {
    for (const { run, tags } of runs) {
      context.out(`${run}  ${tags.length === 0 ? "no tags" : tags.join(" ")}\n`);
    }
  }
  return Promise.resolve(0);
}

/** Runs of which the same was changed go back by one command. */
function waysBack(reports: readonly AnnotationReport[]): string[] {
  const changes = new Map<string, AnnotationReport[]>();
  for (const report of reports) {
    const { tags, before } = report;
    const back = [
      ...before.tags.filter((tag) => !tags.includes(tag)).map((tag) => `+${tag}`),
      ...tags.filter((tag) => !before.tags.includes(tag)).map((tag) => `-${tag}`),
    ].join(" ");
    if (back !== "") changes.set(back, [...(changes.get(back) ?? []), report]);
  }
  return [...changes].map(([back, runs]) => `tag ${runWords(runs)} ${back}`);
}
