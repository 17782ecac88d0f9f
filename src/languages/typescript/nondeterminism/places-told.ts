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

export function mayTellPlace(text: string): boolean {
  return text.search(PLACES) >= 0;
}

/** What of it a part of a text tells. */
export function placesTold(file: string, text: string, { start, end }: Span): Cause[] {
  const found = [...text.slice(start, end).matchAll(PLACES)];
  if (found.length === 0) return [];
  const lines = new Lines(text);
  return found.map(({ 0: words, index }) => {
    return { words: `${words} at ${file}:${lines.at(start + index).line}` };
  });
}
