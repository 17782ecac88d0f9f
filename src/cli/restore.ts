/** @file `afterlog restore RUN[@path] --out FILE`: the tensors of a checkpoint, for other tools. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AfterlogError } from "../format/index.ts";
import { exportCheckpoint, readManifest } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { formatBytes, formatCount } from "./format-units.ts";
import type { RunPoint } from "./run-point.ts";
import { findPoint } from "./run-point.ts";
import { pathText } from "./replay-view.ts";

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
  const file = resolve(context.cwd, options.out);
  if (existsSync(file) && options.force !== true) {
    throw new AfterlogError("AL042", `${options.out} exists already`, {
      help: ["name another file, or overwrite it with --force"],
    });
  }
  const point = await findPoint(context, reference);
  mkdirSync(dirname(file), { recursive: true });
  const { program, version } = readManifest(point.folder);
  const { tensors, bytes } = exportCheckpoint({
    runFolder: point.folder,
    records: recordsOf(point),
    file,
    metadata: { run: point.run, program, commit: version?.commit ?? "" },
  });
  const { path } = point.record;
  if (context.json) {
    const shown = tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }));
    context.out(`${JSON.stringify({ run: point.run, path, file, bytes, tensors: shown })}\n`);
    return 0;
  }
  const count = `${formatCount(tensors.length)} tensor${tensors.length === 1 ? "" : "s"}`;
  context.out(
    `${options.out}  ${count}, ${formatBytes(bytes)}: ${point.run} @ ${pathText(path)}, verified\n`,
  );
  for (const { name, dtype, shape } of tensors.slice(0, TENSORS_SHOWN)) {
    context.out(`  ${name}  ${dtype} [${shape.join(", ")}]\n`);
  }
  const more = tensors.length - TENSORS_SHOWN;
  if (more > 0) context.out(`  … and ${formatCount(more)} more\n`);
  return 0;
}

/** The checkpoint, after those that must be restored before it. */
function recordsOf({ record, facts, run }: RunPoint) {
  const before = record.needs.map((path) => {
    const needed = facts.checkpoints.get(path);
    if (needed) return needed;
    throw new AfterlogError("AL040", `the checkpoint at ${path}, which this one needs, is gone`, {
      help: [`take another one:  afterlog show ${run}`],
      data: { run, path },
    });
  });
  return [...before, record];
}
