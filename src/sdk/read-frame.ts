/** @file `frame`: what was logged, from the command line of Afterlog, which reads all runs. */
import { AfterlogError, valueFromJson } from "../format/index.ts";
import { askCommand } from "./ask-command.ts";

export interface FrameOptions {
  /** SQL that chooses rows. */
  readonly where?: string;
  /** The loop whose iterations are the rows. */
  readonly grain?: string;
  /** A folder of the project; absent: the present one. */
  readonly folder?: string;
}

export interface FrameRow {
  readonly [name: string]: unknown;
}

/** JSON has no words for these; the command line writes them as texts. */
const NOT_FINITE = new Map(["NaN", "Infinity", "-Infinity"].map((text) => [text, Number(text)]));

/**
 * The frame with these names as columns, a record for each row. A value that is missing is null.
 * Throws AL021 if no run has logged a name.
 *
 * @example
 * const rows = await al.frame(["lr", "loss"], { where: "loss < 1" });
 */
export async function frame(
  names: readonly string[],
  { where, grain, folder = "." }: FrameOptions = {},
): Promise<FrameRow[]> {
  if (!Array.isArray(names) || names.length === 0) {
    const help = ['for example  await al.frame(["lr", "loss"])'] as const;
    throw new AfterlogError("AL061", "frame() needs a list of names", { help });
  }
  const words = ["-L", "0", ...names];
  if (where !== undefined) words.push("--where", where);
  if (grain !== undefined) words.push("--grain", grain);
  const rows = await askCommand(folder, "frame", ...words);
  return (rows as Record<string, unknown>[]).map(rowOf);
}

/** Without where each value comes from, which is for the command line: `afterlog why`. */
function rowOf(row: Record<string, unknown>): FrameRow {
  const cells = Object.entries(row).filter(([name]) => name !== "origin");
  return Object.fromEntries(cells.map(([name, value]) => [name, cellOf(value)]));
}

function cellOf(value: unknown): unknown {
  return typeof value === "string" ? (NOT_FINITE.get(value) ?? value) : valueFromJson(value);
}
