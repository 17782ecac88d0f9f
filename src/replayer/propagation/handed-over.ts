/**
 * @file Functions of a question that it puts into a list or mapping of the run's own, for the run to call: the
 * list is another one then, and the run goes through loops and branches that it did not.
 */
import type { FileEdit } from "../../landing/index.ts";
import type { Statement } from "../../languages/index.ts";

const ADDS = /^([\w$.]+)\.(?:add|append|appendleft|insert|push|unshift)\(/;
const SETS = /^([\w$.]+)\[[^\]]*\]\s*=[^=]/;

const MAKES = /^(?:async\s+)?(?:def|class|function|const|let|var)\s+([\w$]+)/;
const WRITTEN_OUT = /\blambda\b|=>|\bfunction\b/;

/** Why a question is none, by those of its statements that do that. */
export function handedOver(
  { now, then, gaps }: FileEdit,
  question: readonly Statement[],
): string | undefined {
  const textOf = ({ node }: Statement): string => now.text.slice(node.start, node.end);
  const added = gaps.flatMap((gap) => gap.added.filter((one) => !gap.shaped.has(one))).map(textOf);
  const made = added.filter((text) => !/^(?:const|let|var)\b/.test(text) || WRITTEN_OUT.test(text));
  const names = made.flatMap((text) => MAKES.exec(text)?.[1] ?? []);
  for (const one of question) {
    const text = textOf(one);
    const [, path] = ADDS.exec(text) ?? SETS.exec(text) ?? [];
    if (path === undefined) continue;
    const given = text.slice(path.length);
    const isGiven = WRITTEN_OUT.test(given) || names.some((name) => hasWord(given, name));
    const last = path.split(".").at(-1) ?? path;
    const isThrough = new RegExp(String.raw`\bfor\b[^\n]*\b(?:in|of)\b[^\n]*${wordOf(last)}`);
    const isFelt = ADDS.test(text) || isThrough.test(then.text);
    const isUndone = added.some((other) => takesFrom(other, path));
    if (!isGiven || !isFelt || isUndone || !hasWord(then.text, last)) continue;
    const { line } = now.lines.at(one.node.start);
    const [head = ""] = text.replace(/;$/, "").split(/\r?\n/);
    return (
      `\`${head}\` (${now.file}:${line}) has the run call what it did not: a question leaves its \`${path}\` as it was. ` +
      `Log in your edit where the run calls what is in it`
    );
  }
  return undefined;
}

/** `callbacks.pop()`, `del hooks["x"]` */
function takesFrom(text: string, path: string): boolean {
  const own = path.replaceAll(/[.$]/g, String.raw`\$&`);
  const takes = String.raw`\.(?:clear|delete|discard|pop|popleft|remove|shift|splice)\(`;
  return new RegExp(
    String.raw`(?<![\w$.])${own}(?:${takes}|\.length\s*(?:=|--))|^(?:del|delete)\s+${own}\b`,
  ).test(text);
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(wordOf(word)).test(text);
}

function wordOf(word: string): string {
  return String.raw`(?<![\w$])${word.replaceAll("$", "[$]")}(?![\w$])`;
}
