/**
 * @file Which statement of a question changes what, as far as the text shows: what it sets, or changes by
 * a method, itself or in functions of the program that it calls. For the words of a message only.
 */
import type { ChangingStatement, ProbePlace } from "../../format/index.ts";
import type { ParsedFile, Syntax } from "../../languages/index.ts";
import { firstLine } from "./asked-question.ts";
import { functionsNamed, isLocal, lastWord, ofQuestion, parsedFiles } from "./certain-changes.ts";
import type { ReadText } from "./version-texts.ts";

/** Calls of calls that are followed. */
const DEPTH_MAX = 4;
/** What a method changes of its object. */
const OWN = /^(?:self|this)$/;

/** Those that change something, in the order of the text. */
export function changingStatements(
  files: readonly string[],
  text: ReadText,
  probes: readonly ProbePlace[],
): ChangingStatement[] {
  const parsed = parsedFiles(files, text);
  return parsed.flatMap((source) => {
    const own = probes.filter(({ file }) => file === source.file);
    return ofQuestion(source, own).flatMap(({ node }): ChangingStatement[] => {
      const names = new Set<string>();
      addChanged({ source, part: node, inside: null, depth: 0 }, parsed, names);
      if (names.size === 0) return [];
      return [{ text: firstLine(source.text.slice(node.start, node.end)), names: [...names] }];
    });
  });
}

interface Part {
  readonly source: ParsedFile;
  readonly part: Syntax;
  /** The function that it stands in. */
  readonly inside: Syntax | null;
  readonly depth: number;
}

function addChanged(
  { source, part, inside, depth }: Part,
  files: readonly ParsedFile[],
  names: Set<string>,
): void {
  const { uses, scopes, mutations } = source;
  const isIn = (one: Syntax): boolean => part.start <= one.start && one.end <= part.end;
  const add = (at: Syntax, words: readonly string[]): void => {
    if (inside && isLocal(source, words[0] ?? "", at, inside)) return;
    for (const word of words) names.add(word);
  };
  for (const { target, path = "" } of uses.writes.filter((one) => isIn(one.target))) {
    add(target, path.split("."));
  }
  for (const { node, name } of scopes.references.filter((one) => isIn(one.node))) {
    if (mutations.mutated.has(node)) add(node, [name]);
  }
  for (const { callee } of depth < DEPTH_MAX ? uses.calls.filter((one) => isIn(one.node)) : []) {
    const path = source.text.slice(callee.start, callee.end);
    const name = lastWord(path);
    const changed = new Set<string>();
    for (const { file, node } of name === undefined ? [] : functionsNamed(files, name)) {
      addChanged({ source: file, part: node, inside: node, depth: depth + 1 }, files, changed);
    }
    if ([...changed].some((one) => OWN.test(one))) add(callee, path.split(".").slice(0, -1));
    for (const one of changed) if (!OWN.test(one)) names.add(one);
  }
}
