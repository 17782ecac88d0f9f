/** @file `afterlog restore RUN[@path] --out FILE`: the tensors of a checkpoint, for other tools. */
import { join } from "node:path";
import { locateCheckpoint, restoreCheckpoint } from "../../app/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import { pathText } from "../terminal/path-text.ts";

type RestoreOptions = OptionsOf<"restore">;

const TENSORS_SHOWN = 12;

export async function restoreCommand(
  context: CliContext,
  reference: string,
  options: RestoreOptions,
): Promise<number> {
  if (options.out === undefined) return showPlace(context, reference);
  const { out: file, force } = options;
  const report = await restoreCheckpoint(portsOf(context), { reference, file, force });
  if (context.json) {
    context.out(`${JSON.stringify(report)}\n`);
    return 0;
  }
  const { run, path, bytes, tensors, by_value: byValue, exact } = report;
  const count = `${formatCount(tensors.length)} tensor${tensors.length === 1 ? "" : "s"}`;
  context.out(
    `${file}  ${count}, ${formatBytes(bytes)}: ${run} @ ${pathText(path, byValue)}, verified\n`,
  );
  for (const { name, dtype, shape } of tensors.slice(0, TENSORS_SHOWN)) {
    context.out(`${onOneLine(`  ${name}  ${dtype} [${shape.join(", ")}]`)}\n`);
  }
  const more = tensors.length - TENSORS_SHOWN;
  if (more > 0) context.out(`  … and ${formatCount(more)} more\n`);
  if (!exact) context.err(NEAREST);
  return 0;
}

const NEAREST = "! the row has no checkpoint of its own: this is the newest before it\n";

/** Without a file to write: which checkpoint it is, and where it lies. */
async function showPlace(context: CliContext, reference: string): Promise<number> {
  const place = await locateCheckpoint(portsOf(context), reference);
  if (context.json) {
    context.out(`${JSON.stringify(place)}\n`);
    return 0;
  }
  const { run, at, exact, folder, checkpoints } = place;
  context.out(`${run}@${at}\n`);
  for (const { file } of checkpoints) context.out(`  ${join(folder, "checkpoints", file)}\n`);
  if (!exact) context.err(NEAREST);
  return 0;
}
