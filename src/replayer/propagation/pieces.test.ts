/** Which log calls of a source may log a name. */
import { expect, test } from "vitest";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { findStatements } from "./pieces.ts";

function log(line: number, name: string | null, pattern?: string): SourceLog {
  const place = { file: "train.py", line, column: 1, text: "", chain: [], before: [] };
  return { ...place, name, certain: true, ...(pattern === undefined ? {} : { pattern }) };
}

const ANY = "^.*$";
const LOGS = [
  log(1, "loss"),
  log(2, null, "^ask_.*$"),
  log(3, "x * 2", ANY),
  log(4, "y", ANY),
] as const;

test.each([
  ["loss", [1]],
  ["ask_k", [2]],
  ["x * 2", [3]],
  ["0.weight", [3, 4]],
])("%s", (name, lines) => {
  const model = { logs: LOGS } as unknown as SourceModel;
  expect(findStatements(model, name).map(({ line }) => line)).toEqual(lines);
});
