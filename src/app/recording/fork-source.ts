/**
 * @file The source that a fork executes: the run's own, or one that differs inside of the loop that it
 * continues. Until that loop is entered the program then does what the run did, word by word, so the
 * objects that the checkpoint fills are the ones that it was taken of.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AfterlogError, LoopPath, Manifest } from "../../format/index.ts";
import { modeOf } from "../../format/index.ts";
import type { SourceLoop, SourceModel } from "../../languages/index.ts";
import { analyzeProgram } from "../../languages/index.ts";
import type { LoopEntry, RunFacts } from "../../planner/index.ts";
import { matchLoops } from "../../planner/index.ts";
import type { Project } from "../../store/index.ts";
import { readVersionFiles } from "../../store/index.ts";
import { changedFiles, sourceChanged } from "./continue-run.ts";

/** The model of what the fork executes. Throws AL034 if it differs elsewhere than in the loop. */
export function sourceOfFork(
  project: Project,
  manifest: Manifest,
  given: { readonly recorded: SourceModel; readonly facts: RunFacts; readonly at: LoopPath },
): SourceModel {
  const { recorded, facts, at } = given;
  const files = changedFiles(project, manifest, recorded);
  const [file, ...others] = files;
  if (file === undefined) return recorded;
  const outermost = entriesAlong(facts, at)[0];
  const { version } = manifest;
  const refuse = (why: string): AfterlogError =>
    sourceChanged(project, manifest, { file: others[0] ?? file, why });
  if (!outermost?.site || outermost.site.file !== file || others.length > 0 || version === null) {
    throw refuse(`only what stands inside of loop "${outermost?.loop ?? "?"}" may differ`);
  }
  const [kept] = readVersionFiles(project, [{ run: manifest.run, version, file }]);
  const path = join(project.root, file);
  const now = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (!kept?.text || !differsInside(kept.text, now, outermost.site)) {
    throw refuse(`it differs outside of loop "${outermost.loop}", or in its head`);
  }
  const read = (name: string): string | undefined => {
    const source = join(project.root, name);
    return existsSync(source) ? readFileSync(source, "utf8") : undefined;
  };
  const model = analyzeProgram(manifest.program, read, modeOf(manifest));
  const other = otherNames(recorded, model, entriesAlong(facts, at));
  if (other !== undefined) throw refuse(other);
  return { ...model, uncertain: [...new Set([...model.uncertain, ...recorded.uncertain])] };
}

/** The loop entries around a point, outermost first. */
function entriesAlong({ entries }: RunFacts, at: LoopPath): LoopEntry[] {
  const found: LoopEntry[] = [];
  let siblings = entries;
  for (const [loop, index, number = 0] of at) {
    const entry = siblings.find((one) => one.loop === loop && one.entry === number);
    if (!entry) return found;
    found.push(entry);
    siblings = typeof index === "number" ? (entry.children.get(index) ?? []) : [];
  }
  return found;
}

/** Whether two texts are the same but for lines behind the first of a statement, up to its last. */
export function differsInside(
  older: string,
  newer: string,
  { line, endLine }: { readonly line: number; readonly endLine?: number | undefined },
): boolean {
  if (endLine === undefined) return false;
  const [old, now] = [older, newer].map((text) => text.split("\n")) as [string[], string[]];
  const least = Math.min(old.length, now.length);
  let before = 0;
  while (before < least && old[before] === now[before]) before += 1;
  let behind = 0;
  while (behind < least - before && old.at(-1 - behind) === now.at(-1 - behind)) behind += 1;
  return before >= line && old.length - behind <= endLine;
}

/**
 * Objects are numbered by a walk over what a loop may change and over what it only reads: these names
 * must be the same. Answers the first that is not.
 */
function otherNames(
  recorded: SourceModel,
  model: SourceModel,
  entries: readonly LoopEntry[],
): string | undefined {
  const [older, newer] = [matchLoops(recorded, recorded), matchLoops(recorded, model)];
  for (const { site, loop } of entries) {
    const [then, now] = [older(site, loop), newer(site, loop)];
    if (!then || !now) return `loop "${loop}" is not found in it`;
    for (const [what, names] of [
      ["changes", (one: SourceLoop) => one.changes],
      ["reads", (one: SourceLoop) => one.reads ?? []],
    ] as const) {
      const [had, has] = [names(then), names(now)].map((all) => all.map(({ key }) => key));
      const other = names(now).find(({ key }) => !had?.includes(key));
      if (other) return `loop "${loop}" ${what} ${other.name} now, which it did not`;
      if (had?.join("\n") !== has?.join("\n")) {
        const gone = names(then).find(({ key }) => !has?.includes(key));
        return `loop "${loop}" ${what} other names now${gone ? `: no longer ${gone.name}` : ""}`;
      }
    }
  }
  return undefined;
}
