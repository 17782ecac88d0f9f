/**
 * @file `annotations.jsonl`: read as a whole, appended to line by line. Several processes may do that at
 * once: a line is one write, and what a process that was killed left of one is ended before the next.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import type { Annotation, AnnotationChange, RunAnnotations } from "../format/index.ts";
import { annotationFromJson, annotationToJson, foldAnnotations } from "../format/index.ts";
import { makeFolder, syncName } from "./durable.ts";
import { storePaths } from "./store-paths.ts";

/** All lines that can be read. */
export function readAnnotations(store: string): Annotation[] {
  return annotationsIn(textOf(storePaths.annotations(store)));
}

/** What counts of each run about which something was said. */
export function readRunAnnotations(store: string): ReadonlyMap<string, RunAnnotations> {
  return foldAnnotations(readAnnotations(store));
}

export function annotationsIn(text: string): Annotation[] {
  return text.split("\n").flatMap((line) => annotationFromJson(line) ?? []);
}

export interface RunChange {
  readonly run: string;
  readonly change: AnnotationChange;
}

/** Says something of runs, later than all that was said before. */
export function annotate(store: string, changes: readonly RunChange[], nowMs: number): void {
  // Not only by the clock: one that was set back would let what was said before count.
  const last = readAnnotations(store).reduce((most, { at }) => Math.max(most, at), 0);
  const at = Math.max(nowMs, last + 1);
  appendAnnotations(
    store,
    changes.map(({ run, change }) => ({ v: 1, run, at, ...change })),
  );
}

export function appendAnnotations(store: string, annotations: readonly Annotation[]): void {
  appendLines(store, storePaths.annotations(store), annotations.map(annotationToJson));
}

/** Appends to a file of the store in one write, so that several processes may. */
export function appendLines(store: string, file: string, given: readonly string[]): void {
  if (given.length === 0) return;
  makeFolder(store);
  const lines = given.map((line) => `${line}\n`).join("");
  const isTorn = /[^\n]$/.test(textOf(file));
  const fd = openSync(file, "a");
  try {
    writeSync(fd, (isTorn ? "\n" : "") + lines);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  syncName(file);
}

/** Changes whenever the file does; empty if there is none. */
export function annotationsStamp(store: string): string {
  const stat = statSync(storePaths.annotations(store), { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size}:${stat.mtimeMs}:${stat.ino}`;
}

/** What a file of lines holds; nothing if there is none. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
