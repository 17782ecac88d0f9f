/**
 * @file The training that a program of the hunt is, with places for what is mixed in (`<<place>>`) and
 * statements that an edit may change (`<<mark: statement>>`); and how each language writes what the
 * composer needs.
 */
import type { Gadget } from "../../truth/gadgets.ts";

/** Of the recordings, and of the truth. */
export const SEED = "42";

export interface Base {
  readonly entries: readonly string[];
  readonly head: string;
  /** With a counted step loop, and with one over what a function gives. */
  readonly bodies: readonly string[];
  /** At top level, in a function, in a method. */
  readonly shapes: readonly ((head: string, body: string) => string)[];
  readonly draw: string;
  readonly updated: (update: string, value: string) => string;
  /** State that a call fills which gives something else each time, and how its results are kept. */
  readonly noise: (number: string, call: string) => Gadget;
  readonly noiseEnd: (number: string) => string;
  /** What stands before the truth: `had` is the results of such calls, as JSON, by number. */
  readonly preamble: (had: string) => string;
  /** Files that it needs. */
  readonly truthFiles: { readonly [name: string]: string };
  /** The next of them. */
  readonly given: (number: string) => string;
  readonly aside: (part: string) => string;
  /** What an older version had otherwise, beside names: a constant, a function, the order. */
  readonly older: (text: string) => string;
  /** As a formatter lays it out. */
  readonly tidy: (text: string) => string;
}

export const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);

/** The text between two others goes before a third. */
export function moved(
  text: string,
  { from, to, before }: { readonly from: string; readonly to: string; readonly before: string },
): string {
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  const block = text.slice(start, end);
  if (start < 0 || end < start) throw new Error(`no block from ${from} to ${to}`);
  return (text.slice(0, start) + text.slice(end)).replace(before, () => block + before);
}

/** Replaces what is there once, or fails. */
export function replaced(text: string, what: string, by: string): string {
  if (text.split(what).length !== 2) throw new Error(`not there once: ${what}`);
  return text.replace(what, () => by);
}
