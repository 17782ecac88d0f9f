/**
 * @file Logpoints: `grad_norm = l2(grads)` at a line becomes a log statement in the text, where a
 * person would have written it.
 */
import type { RunMode } from "../../format/index.ts";
import { Interner } from "../../tree/index.ts";
import type { ParsedFile } from "../../languages/index.ts";
import { insertAll, languageOf } from "../../languages/index.ts";
import { gapAtLine } from "../placing/decided-landing.ts";
import type { InsertedLog } from "./logpoint.ts";
import { noSuchLine, splitAssignment } from "./logpoint.ts";
import { neutralTree } from "../pairing/version-tree.ts";
import { offsetOf } from "../pairing/version-pair.ts";

/** Puts a log statement before the one at a line, in the innermost block that holds the line. */
export function insertLog(
  text: string,
  file: string,
  line: number,
  { assignment, ...mode }: RunMode & { readonly assignment: string },
): InsertedLog {
  const language = languageOf(file);
  const wanted = splitAssignment(assignment);
  if ("problem" in wanted) return wanted;
  const value = language.readExpression(file, wanted.expression);
  if ("problem" in value) return value;
  const source = language.read(file, text);
  if ("problem" in source) {
    const { line: at, message } = source.problem;
    return { problem: `the file cannot be parsed: ${message}`, help: `repair line ${at} first` };
  }
  const logged = { name: wanted.name, value: value.text };
  return noSuchLine(line, source.lines.count) ?? insert(source, line, logged, mode);
}

function insert(
  source: ParsedFile,
  line: number,
  { name, value }: { readonly name: string; readonly value: string },
  mode: RunMode,
): InsertedLog {
  const { layout, loggerIn, linesOf } = source.language;
  const [style] = layout.stylesOf(source.text);
  const tree = neutralTree(source, new Interner());
  const gap = gapAtLine(source, tree, line);
  if (!gap) return { problem: "there is no place for a statement", help: "name another line" };
  const offset = offsetOf(gap);
  const syntax = tree.syntaxOf.get(gap.block);
  const lines = { from: offset, to: offset };
  const slot = layout.slotFor({ source, style, ...gap, lines, syntax });
  const { call, end, needs } = loggerIn(source, name, mode);
  const statement = `${call}(${JSON.stringify(name)}, ${value})${end}`;
  const header = needs && layout.importInsertion(source, needs, style);
  // Among the imports, it brings its own along.
  const lead = header && header.offset > offset ? header.shown + style.eol + slot.indent : "";
  const { all, own, at } = slot.insertions(lead + statement);
  const first = header && lead === "" ? [header] : [];
  const { text, spans } = insertAll(source.text, [...first, ...all]);
  const start = (spans[own + first.length]?.start ?? 0) + at + lead.length;
  return { text, place: { file: source.file, ...linesOf(text).at(start) } };
}
