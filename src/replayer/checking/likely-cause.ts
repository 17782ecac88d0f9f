/**
 * @file Why a replay may differ from its record: places in the source that ask the outside world
 * for something that nobody recorded. Only ever "likely": that such a call is there does not prove
 * that the value came from it. Where the flow of values has been followed, clocks and entropy are
 * none: what may come from them was not compared.
 */
import type { Difference } from "./check-replay.ts";

export interface SourceText {
  readonly file: string;
  readonly text: string;
}

export interface Followed {
  /** What comes from clocks and the like was not compared. */
  readonly isFollowed: boolean;
  /** Whether calls on a line got the results that the run had. */
  readonly isGiven?: (file: string, line: number) => boolean;
}

/** Calls whose answer changes from run to run; the likeliest to reach a computation first. */
const CAUSES: readonly (readonly [pattern: RegExp, shown: string, isFollowed?: false])[] = [
  [/\bgetRandomValues\s*\(/, "crypto.getRandomValues()"],
  [/\brandomUUID\s*\(/, "crypto.randomUUID()"],
  [/\brandom(?:Bytes|Int|Fill|FillSync)\s*\(/, "unseeded randomness of node:crypto"],
  [
    /\b(?:readdir|readdirSync|opendir|opendirSync|glob|globSync)\s*\(/,
    "reading a directory",
    false,
  ],
  [/\bDate\s*\.\s*now\s*\(/, "Date.now()"],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\s\w(]))/, "new Date()"],
  [/\bfetch\s*\(/, "fetch()"],
  [/\bprocess\s*\.\s*hrtime\b/, "process.hrtime()"],
  [/\bperformance\s*\.\s*now\s*\(/, "performance.now()"],
];

/**
 * `Date.now() at augment.ts:17`: the likeliest cause in the sources; null if there is none.
 */
export function likelyCause(
  sources: readonly SourceText[],
  { name }: Difference,
  { isFollowed, isGiven = () => false }: Followed,
): string | null {
  const codes = sources.map(({ file, text }) => ({ file, code: codeOnly(text) }));
  // How often a loop runs is compared whatever decides it.
  const isApart = isFollowed && !/^(?:loop .*|outcome)$/s.test(name);
  const possible = isApart ? CAUSES.filter(([, , followed]) => followed === false) : CAUSES;
  for (const [pattern, shown] of possible) {
    for (const { file, code } of codes) {
      for (const { index } of code.matchAll(new RegExp(pattern, "g"))) {
        const line = code.slice(0, index).split("\n").length;
        if (!isGiven(file, line)) return `${shown} at ${file}:${line}`;
      }
    }
  }
  return null;
}

/**
 * Comments, strings and regular expressions, in this order of trying. A slash begins a regular
 * expression only where a value may stand: after an operator, a bracket or a keyword.
 */
const NOT_CODE =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|(?<=(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\breturn|\btypeof)\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
/** Text of a template up to its end, or to where code begins in it. */
const TEMPLATE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y;

/** The text with everything blanked that is not code, line by line as it was. */
function codeOnly(text: string): string {
  let code = "";
  let depth = 0;
  /** Depths of braces at which the text of a template goes on. */
  const templates: number[] = [];
  while (code.length < text.length) {
    const at = code.length;
    const goesOn = text[at] === "}" && templates.at(-1) === depth;
    const isTemplate = text[at] === "`" || goesOn;
    const blanked = matchAt(isTemplate ? TEMPLATE : NOT_CODE, text, at);
    if (blanked === undefined) {
      if (text[at] === "{") depth += 1;
      if (text[at] === "}") depth -= 1;
      code += text[at];
      continue;
    }
    if (goesOn) templates.pop();
    if (isTemplate && blanked.endsWith("${")) templates.push(depth);
    code += blanked.replaceAll(/[^\n]/g, " ");
  }
  return code;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
