/** @file `afterlog tail [RUN]`: the last values that a run logged, and those that follow. */
import { tailRun } from "../../app/quick.ts";
import type { TailEvent } from "../../app/quick.ts";
import { formatPath, plainToJson, valueToJson } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { INTERRUPTED } from "../interrupt.ts";
import { displayText } from "../terminal/output.ts";
import { portsOf } from "../command-ports.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const LINES = 10;

export async function tailCommand(
  context: CliContext,
  run: string,
  { columns: names, lines: count = LINES, follow = false }: OptionsOf<"tail">,
): Promise<number> {
  return untilInterrupted(async (signal) => {
    let values = 0;
    let last: TailEvent | undefined;
    for await (const event of tailRun(portsOf(context), { run, names, count, follow }, signal)) {
      last = event;
      if (event.kind === "value") values += 1;
      if (context.json) context.out(`${jsonText(event)}\n`);
      else if (event.kind === "value") context.out(`${onOneLine(lineText(event.value))}\n`);
      else if (event.kind === "resumed") context.err(`${event.run} was resumed further back\n`);
    }
    if (context.json || last?.kind !== "end") return signal.aborted ? INTERRUPTED : 0;
    if (values === 0)
      context.err(`${last.run} has logged ${names ? "none of these" : "nothing"}\n`);
    if (follow && !signal.aborted) context.err(`${last.run}: ${last.status}\n`);
    return signal.aborted ? INTERRUPTED : 0;
  });
}

type Value = Extract<TailEvent, { kind: "value" }>["value"];

/** `epoch#=3,step#=17  loss  0.2143`: `epoch#` is the index from 0, wherever loops are asked for. */
function lineText({ path, name, value }: Value): string {
  const place = formatPath(path).replaceAll(/(#\d+)?=/g, (_, entry = "") => `#${entry}=`);
  return [...(place === "" ? [] : [place]), name, valueText(value)].join("  ");
}

function valueText(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return displayText(value);
  return typeof value === "string" ? (value.split("\n")[0] ?? "") : valueToJson(value);
}

function jsonText(event: TailEvent): string {
  if (event.kind !== "value") return JSON.stringify(event);
  const { run, value } = event;
  const json: unknown = JSON.parse(valueToJson(value.value));
  return plainToJson({ kind: "value", run, path: value.path, name: value.name, value: json });
}
