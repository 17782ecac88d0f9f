/** @file `afterlog note RUN TEXT` and `afterlog name RUN NAME`: one of each is a run's own. */
import type { AnnotationReport } from "../../app/read.ts";
import { nameRun, noteRun, readAnnotated } from "../../app/read.ts";
import { AfterlogError } from "../../format/index.ts";
import type { Ports } from "../../app/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { sayWayBack } from "./way-back.ts";

interface OwnText {
  readonly word: "note" | "name";
  readonly write: (ports: Ports, run: string, text: string | null) => Promise<AnnotationReport>;
}

export function noteCommand(
  context: CliContext,
  run: string,
  text: string | undefined,
  options: OptionsOf<"note">,
): Promise<number> {
  return ownText(context, { word: "note", write: noteRun }, { run, text, ...options });
}

export function nameCommand(
  context: CliContext,
  run: string,
  name: string | undefined,
  options: OptionsOf<"name">,
): Promise<number> {
  return ownText(context, { word: "name", write: nameRun }, { run, text: name, ...options });
}

async function ownText(
  context: CliContext,
  { word, write }: OwnText,
  asked: { readonly run: string; readonly text: string | undefined; readonly remove?: boolean },
): Promise<number> {
  const ports = portsOf(context);
  const { run, text, remove = false } = asked;
  if (remove && text !== undefined) {
    throw new AfterlogError(
      "AL001",
      `--remove takes the ${word} away; another one cannot be given`,
      {
        help: [`take it away:  afterlog ${word} ${run} --remove`],
      },
    );
  }
  if (text === undefined && !remove) {
    const [found] = await readAnnotated(ports, { runs: [run] });
    if (context.json) context.out(`${JSON.stringify(found)}\n`);
    else if (found?.[word] == null) context.err(`${found?.run} has no ${word}\n`);
    else context.out(`${found[word]}\n`);
    return 0;
  }
  const report = await write(ports, run, text ?? null);
  if (context.json) {
    context.out(`${JSON.stringify(report)}\n`);
    return 0;
  }
  const now = report[word];
  context.out(now === null ? `${report.run} has no ${word} now\n` : `(id ${report.run})  ${now}\n`);
  const before = report.before[word];
  if (before === now) context.err(`that was its ${word} already\n`);
  else {
    const back =
      before === null ? "--remove" : `${before.startsWith("-") ? "-- " : ""}${shellWord(before)}`;
    sayWayBack(context, [`${word} ${report.run} ${back}`]);
  }
  return 0;
}
