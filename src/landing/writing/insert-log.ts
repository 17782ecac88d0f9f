/**
 * @file Logpoints: `grad_norm = l2(grads)` at a line becomes a log statement in the text, where a
 * person would have written it.
 */
import type { RunMode, SourcePlace } from "../../format/index.ts";
import { Interner } from "../../tree/index.ts";
import type { LogpointProblem, ParsedFile } from "../../languages/index.ts";
import { insertAll, languageOf } from "../../languages/index.ts";
import { gapAtLine } from "../placing/decided-landing.ts";
import { neutralTree } from "../pairing/version-tree.ts";
import { offsetOf } from "../pairing/version-pair.ts";

type InsertedLog =
  | { readonly text: string; readonly place: SourcePlace }
  /** Why it cannot be put there, and what to do about it. */
  | LogpointProblem;

interface Logpoint extends RunMode {
  readonly assignment: string;
  /** Other files of the project: a package.json says how this one is loaded. */
  readonly textOf?: (file: string) => string | undefined;
}

/** Puts a log statement before the one at a line, in the innermost block that holds the line. */
export function insertLog(
  text: string,
  file: string,
  line: number,
  { assignment, textOf = () => undefined, ...mode }: Logpoint,
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
  return (
    noSuchLine(line, source.lines.count) ??
    insertStatement(source, line, logged, { ...mode, textOf })
  );
}

function insertStatement(
  source: ParsedFile,
  line: number,
  { name, value }: { readonly name: string; readonly value: string },
  { textOf, ...mode }: Required<Pick<Logpoint, "textOf">> & RunMode,
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
  const header = needs && layout.importInsertion(source, needs, style, textOf);
  // Among the imports, it brings its own along.
  const lead = header && header.offset > offset ? header.shown + style.eol + slot.indent : "";
  const { all, own, at } = slot.insertions(lead + statement);
  const first = header && lead === "" ? [header] : [];
  const { text, spans } = insertAll(source.text, [...first, ...all]);
  const start = (spans[own + first.length]?.start ?? 0) + at + lead.length;
  return { text, place: { file: source.file, ...linesOf(text).at(start) } };
}

/** The name and the expression of `name = expression`. */
function splitAssignment(
  assignment: string,
): { readonly name: string; readonly expression: string } | LogpointProblem {
  const [, name = "", expression = ""] =
    /^\s*([^\s=!<>()]+)\s*=(?!=)\s*([\s\S]+)$/.exec(assignment) ?? [];
  if (name !== "" && expression.trim() !== "") return { name, expression: expression.trim() };
  const help = "write what is to be logged:  'grad_norm = l2(grads)'";
  return { problem: `${JSON.stringify(assignment)} is not  name = expression`, help };
}

/** Why a line of a file is none. */
function noSuchLine(line: number, count: number): LogpointProblem | undefined {
  if (line >= 1 && line <= count) return undefined;
  return { problem: `the file has ${count} lines`, help: `name one from 1 to ${count}` };
}
