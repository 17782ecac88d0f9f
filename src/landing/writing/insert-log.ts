/**
 * @file Logpoints: `grad_norm = l2(grads)` at a line becomes a log statement in the text, where a
 * person would have written it; so do several statements, of which the last one names what is logged,
 * unless one of them logs.
 */
import type { RunMode, SourcePlace } from "../../format/index.ts";
import { Interner } from "../../tree/index.ts";
import type { LogpointProblem, ParsedFile, Statement } from "../../languages/index.ts";
import { insertAll, languageOf } from "../../languages/index.ts";
import { gapAtLine } from "../placing/decided-landing.ts";
import { neutralTree } from "../pairing/version-tree.ts";
import { offsetOf } from "../pairing/version-pair.ts";

type InsertedLog =
  | { readonly text: string; readonly place: SourcePlace; readonly asked: AskedLogpoint }
  /** Why it cannot be put there, and what to do about it. */
  | LogpointProblem;

/** What a logpoint asks for: a name, or what these statements log. */
export type AskedLogpoint = { readonly name: string } | { readonly logs: readonly string[] };

interface Logpoint extends RunMode {
  /** `name = expression`, or several statements. */
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
  const source = language.read(file, text);
  if ("problem" in source) {
    const { line: at, message } = source.problem;
    return { problem: `the file cannot be parsed: ${message}`, help: `repair line ${at} first` };
  }
  const wanted = readStatements(source, assignment) ?? readAssignment(source, assignment);
  if ("problem" in wanted) return wanted;
  return (
    noSuchLine(line, source.lines.count) ??
    insertStatements(source, line, wanted, { ...mode, textOf })
  );
}

/** What is put in: statements, and then maybe a log call of a value under a name. */
interface WantedStatements {
  readonly statements: readonly string[];
  readonly logs: readonly string[];
  readonly logged?: { readonly name: string; readonly value: string };
}

function readAssignment(
  { language, file }: ParsedFile,
  assignment: string,
): WantedStatements | LogpointProblem {
  const wanted = splitAssignment(assignment);
  if ("problem" in wanted) return wanted;
  const value = language.readExpression(file, wanted.expression);
  if ("problem" in value) return value;
  return { statements: [], logs: [], logged: { name: wanted.name, value: value.text } };
}

/** Several statements, or one that is a log call; undefined if it is neither. */
function readStatements(
  { language, file, scopes }: ParsedFile,
  text: string,
): WantedStatements | LogpointProblem | undefined {
  const parsed = language.read(file, text);
  if ("problem" in parsed) return undefined;
  const all = parsed.lists[0]?.statements ?? [];
  const textOf = ({ node }: Statement): string =>
    text.slice(node.start, node.end).replace(/;$/, "");
  const logs = all.filter(({ isLog }) => isLog).map(textOf);
  if (all.length < 2 && logs.length === 0) return undefined;
  const known = new Set([...scopes.bindingOf.values()].map(({ name }) => name));
  const statements = all.map((one) => {
    const own = textOf(one);
    const [, name] = /^([\w$]+)\s*=(?!=)/.exec(own) ?? [];
    const isNew = name !== undefined && !known.has(name);
    if (name !== undefined) known.add(name);
    return (isNew ? language.declares : "") + own;
  });
  if (logs.length > 0) return { statements, logs };
  const last = splitAssignment(textOf(all[all.length - 1] as Statement));
  if ("problem" in last) {
    const help = "end with what is to be logged:  'a = f(x); b = g(a)'";
    return { problem: "its last statement is not  name = expression", help };
  }
  return { statements, logs, logged: { name: last.name, value: last.name } };
}

function insertStatements(
  source: ParsedFile,
  line: number,
  { statements, logs, logged }: WantedStatements,
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
  const { call, end, needs } = loggerIn(source, logged?.name ?? "", mode);
  const log = logged && `${call}(${JSON.stringify(logged.name)}, ${logged.value})${end}`;
  const between = style.eol + slot.indent;
  const texts = statements.map((one) => one.replaceAll(/\r?\n/g, between) + end);
  const statement = [...texts, ...(log === undefined ? [] : [log])].join(between);
  const header = logged && needs && layout.importInsertion(source, needs, style, textOf);
  // Among the imports, it brings its own along.
  const lead = header && header.offset > offset ? header.shown + style.eol + slot.indent : "";
  const { all, own, at } = slot.insertions(lead + statement);
  const first = header && lead === "" ? [header] : [];
  const { text, spans } = insertAll(source.text, [...first, ...all]);
  const start = (spans[own + first.length]?.start ?? 0) + at + lead.length;
  const asked = logged ? { name: logged.name } : { logs };
  return { text, place: { file: source.file, ...linesOf(text).at(start) }, asked };
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
