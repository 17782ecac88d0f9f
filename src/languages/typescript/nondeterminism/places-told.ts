/**
 * @file Where a program lies and what else lies there, as a log call tells it: a replay is executed in a tree of
 * its own. Who only opens a file by such a path finds the same one there, so that what was read does not
 * depend on it: only what is logged as it is counts.
 */
import type { Span } from "../../../tree/index.ts";
import { Lines } from "../../lines.ts";
import type { Cause } from "./flow-graph.ts";

const PLACES =
  /\b(?:__dirname|__filename|import\.meta\.(?:url|dirname|filename)|process\.(?:cwd|argv)|(?:readdir|stat|lstat|realpath)Sync)\b/g;

/** Of an error: where in its text each function stands, which is rewritten and has lines more. */
const STACK = /\.stack\b(?!\s*\()/g;

/** What besides gives a whole name, which is told as the run had it: `resolve` of `path`. */
const PATH = /["'](?:node:)?path["']/;
const RESOLVE = /\bresolve\b/;

export function mayTellPlace(text: string): boolean {
  return tellsName(text) || text.search(STACK) >= 0;
}

/** Whether a file may have a name of where the program lies. */
export function tellsName(text: string): boolean {
  return text.search(PLACES) >= 0 || (PATH.test(text) && RESOLVE.test(text));
}

/** Where a file reads what an error says of its way: each is another text than that of a plain execution. */
export function stacksRead(file: string, text: string): Cause[] {
  return causesAt(file, text, [...text.matchAll(STACK)]);
}

/** What of it a part of a text tells. */
export function placesTold(file: string, text: string, { start, end }: Span): Cause[] {
  return causesAt(file, text, [...text.slice(start, end).matchAll(PLACES)], start);
}

function causesAt(
  file: string,
  text: string,
  found: readonly RegExpExecArray[],
  start = 0,
): Cause[] {
  if (found.length === 0) return [];
  const lines = new Lines(text);
  return found.map(({ 0: words, index }) => {
    return { words: `${words} at ${file}:${lines.at(start + index).line}` };
  });
}
