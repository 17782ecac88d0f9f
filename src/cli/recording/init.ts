/** @file `afterlog init`: the file of settings, and the store kept out of git; says what it did. */
import { relative } from "node:path";
import { exampleProgram, initProject } from "../../app/quick.ts";
import type { InitReport } from "../../app/quick.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

export function initCommand(context: CliContext): Promise<number> {
  const report = initProject(portsOf(context));
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else printReport(context, report);
  return Promise.resolve(0);
}

function printReport(context: CliContext, report: InitReport): void {
  const { green, dim } = createColors(context.color);
  const shownAs = (path: string): string => relative(context.cwd, path) || ".";
  const { file, store, written, settings, exclude, excluded } = report;
  const done = green("✔");
  const as = dim("·");
  const kept = `${shownAs(store)}/, where runs will be, is kept out of git by ${shownAs(exclude ?? "")}`;
  const lines = [
    written
      ? `${done} ${shownAs(file)}: ${settings} settings, each with its default and as a comment`
      : `${as} ${shownAs(file)} is there already, and left as it is`,
    ...(exclude === null
      ? [`${as} no git here: the source of each run will be kept in ${shownAs(store)}/git`]
      : [excluded ? `${done} ${kept}` : `${as} ${kept} already`]),
    `Record a run:  afterlog run ${exampleProgram(context.cwd)}`,
  ];
  context.out(`${lines.map(onOneLine).join("\n")}\n`);
}
