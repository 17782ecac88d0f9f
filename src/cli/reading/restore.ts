/** @file `afterlog restore RUN[@path] --out FILE`: the tensors of a checkpoint, for other tools. */
import { restoreCheckpoint } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { pathText } from "../replaying/replay-view.ts";

type RestoreOptions = OptionsOf<"restore">;

const TENSORS_SHOWN = 12;

export async function restoreCommand(
  context: CliContext,
  reference: string,
  options: RestoreOptions,
): Promise<number> {
  if (options.out === undefined) {
    throw new AfterlogError("AL001", "name the file to write", {
      help: [`for example:  afterlog restore ${reference} --out model.safetensors`],
    });
  }
  const { out: file, force } = options;
  const report = await restoreCheckpoint(portsOf(context), { reference, file, force });
  if (context.json) {
    context.out(`${JSON.stringify(report)}\n`);
    return 0;
  }
  const { run, path, bytes, tensors, by_value: byValue } = report;
  const count = `${formatCount(tensors.length)} tensor${tensors.length === 1 ? "" : "s"}`;
  context.out(
    `${file}  ${count}, ${formatBytes(bytes)}: ${run} @ ${pathText(path, byValue)}, verified\n`,
  );
  for (const { name, dtype, shape } of tensors.slice(0, TENSORS_SHOWN)) {
    context.out(`  ${name}  ${dtype} [${shape.join(", ")}]\n`);
  }
  const more = tensors.length - TENSORS_SHOWN;
  if (more > 0) context.out(`  … and ${formatCount(more)} more\n`);
  return 0;
}
