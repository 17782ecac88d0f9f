/**
 * @file What a question changes for certain, as the text shows: it counts up, or adds to, something
 * whenever it is evaluated, itself or in a function of the run that it calls. Nothing is guessed: where
 * a call may mean several functions, or a condition decides, it only may change something.
 */
import type { ProbePlace } from "../../format/index.ts";
import type { ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { isSource, languageOf } from "../../languages/index.ts";
import type { ReadText } from "./version-texts.ts";

/** Methods that leave what they are called on longer than it was. */
const GROWING = /^(?:append|appendleft|push|unshift|insert)$/;
/** What may keep a part of a statement from being executed, or put it off. */
const CONDITIONAL = /=>|\?|&&|\|\||\b(?:lambda|if|and|or|for|while|try|function|yield)\b/;
/** Calls of calls that are followed. */
const DEPTH_MAX = 4;

/** Whether a change of a name, or of a field, is one that the question makes whenever it is evaluated. */
export function certainChanges(
  files: readonly string[],
  text: ReadText,
  probes: readonly ProbePlace[],
): (name: string) => boolean {
  const parsed = parsedFiles(files, text);
  const changes = new CertainChanges(parsed);
  const others: string[] = [];
  for (const source of parsed) {
    const own = probes.filter(({ file }) => file === source.file);
    const asked = ofQuestion(source, own);
    changes.add(source, asked, 0);
    const rest = asked.filter((one) => !one.isLog && !changes.statements.has(one.node));
    others.push(...rest.map(({ node }) => source.text.slice(node.start, node.end)));
  }
  // Another statement that names it may set it back.
  const isNamed = (name: string): boolean =>
    others.some((one) => one.split(/[^\w$]+/).includes(name));
  return (name) => changes.counts.get(name) === 1 && !isNamed(name);
}

/** Those that can be parsed. */
export function parsedFiles(files: readonly string[], text: ReadText): ParsedFile[] {
  return files.filter(isSource).flatMap((file): ParsedFile[] => {
    const source = languageOf(file).read(file, text(file) ?? "");
    return "problem" in source ? [] : [source];
  });
}

/** Statements of the question that nothing else of it surrounds. */
export function ofQuestion(
  { statements, lines }: ParsedFile,
  probes: readonly ProbePlace[],
): Statement[] {
  const isAsked = (statement: Statement | null): boolean => {
    if (!statement) return false;
    const { line, column } = lines.at(statement.node.start);
    return probes.some((probe) => {
      const end = probe.end ?? { line: probe.line, column: Infinity };
      const isBehind = line > probe.line || (line === probe.line && column >= probe.column);
      return isBehind && (line < end.line || (line === end.line && column < end.column));
    });
  };
  return statements.filter((one) => isAsked(one) && !isAsked(one.parent));
}

class CertainChanges {
  /** How often something is changed for certain, by each word of its name. */
  readonly counts = new Map<string, number>();
  /** Those that do it. */
  readonly statements = new Set<Syntax>();
  readonly #files: readonly ParsedFile[];

  constructor(files: readonly ParsedFile[]) {
    this.#files = files;
  }

  /** `inside`: the function that they are the body of. */
  add(
    file: ParsedFile,
    statements: readonly Statement[],
    depth: number,
    inside: Syntax | null = null,
  ): void {
    for (const { node, leaves, isDeclaration } of statements) {
      const text = file.text.slice(node.start, node.end);
      const before = this.counts.size;
      if (!CONDITIONAL.test(text) && !isDeclaration) this.#addStatement(file, node, depth, inside);
      else if (/\b(?:return|raise|throw|yield)\b/.test(text)) return;
      if (this.counts.size > before) this.statements.add(node);
      if (leaves) return;
    }
  }

  #addStatement(file: ParsedFile, node: Syntax, depth: number, inside: Syntax | null): void {
    const { uses } = file;
    const isIn = (one: Syntax): boolean => node.start <= one.start && one.end <= node.end;
    for (const { target, path, accumulates } of uses.writes.filter((one) => isIn(one.target))) {
      if (accumulates) this.#note(file, target, path, inside);
    }
    for (const { callee } of uses.calls.filter((one) => isIn(one.node))) {
      const path = file.text.slice(callee.start, callee.end);
      const name = lastWord(path);
      if (name === undefined) continue;
      const receiver = path.slice(0, -name.length).replace(/\.$/, "");
      if (GROWING.test(name) && receiver !== "") this.#note(file, callee, receiver, inside);
      else this.#follow(name, depth);
    }
  }

  #note(file: ParsedFile, at: Syntax, path: string | undefined, inside: Syntax | null): void {
    if (path === undefined || !/^[\p{L}\w$.]+$/u.test(path) || /^(?:self|this)\b/.test(path))
      return;
    const words = path.split(".");
    if (inside && isLocal(file, words[0] ?? "", at, inside)) return;
    for (const word of words) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /** Into the only function of the program that has this name. */
  #follow(name: string, depth: number): void {
    const found = functionsNamed(this.#files, name);
    const [only] = found;
    if (!only || found.length > 1 || depth >= DEPTH_MAX) return;
    const { file, node } = only;
    const within = file.statements.filter(({ node: one }) => {
      return node.start < one.start && one.end <= node.end;
    });
    const body = within.filter(({ owner }) => owner === within[0]?.owner);
    this.add(file, body, depth + 1, node);
  }
}

/** Functions and methods of the program that have a name. */
export function functionsNamed(
  files: readonly ParsedFile[],
  name: string,
): { readonly file: ParsedFile; readonly node: Syntax }[] {
  return files.flatMap((file) => {
    return [...file.named]
      .filter(([key]) => !key.includes("loop ") && lastWord(key) === name)
      .flatMap(([, nodes]) => nodes.map((node) => ({ file, node })));
  });
}

/** Whether a name is one that a function makes anew each time; a default outlives the call. */
export function isLocal(file: ParsedFile, name: string, at: Syntax, inside: Syntax): boolean {
  const reference = file.scopes.references.find((one) => {
    return one.name === name && at.start <= one.node.start && one.node.end <= at.end;
  });
  const binding = reference?.binding;
  if (!binding || binding.kind === "parameter") return false;
  const { node } = binding.scope;
  return inside.start <= node.start && node.end <= inside.end;
}

export function lastWord(path: string): string | undefined {
  return /(?<![\w$])[\p{L}_$][\w$]*$/u.exec(path)?.[0];
}
