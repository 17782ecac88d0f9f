/**
 * @file The run that is meant, found by its folder: what follows a run, or completes a word, must not wait for
 * an index.
 */
import { statSync } from "node:fs";
import type { Manifest } from "../../format/index.ts";
import { listRunIds, readManifest, readRunAnnotations, storePaths } from "../../store/index.ts";
import { requireProject } from "../required-project.ts";
import type { Ports } from "../ports.ts";
import { matchRun } from "../run-reference.ts";

export interface FoundRun {
  readonly run: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Throws AL004 with candidates. */
export function findRun(ports: Pick<Ports, "cwd" | "env">, reference: string): FoundRun {
  const found = runsByFolder(requireProject(ports).store);
  const run = matchRun(
    found.map(({ manifest }) => manifest),
    reference,
  );
  const one = found.find((candidate) => candidate.run === run);
  if (one === undefined) throw new Error(`${run} is gone`);
  return one;
}

/** All runs and replays that can be read, newest first. */
export function runsByFolder(store: string): FoundRun[] {
  const annotations = readRunAnnotations(store);
  const found = listRunIds(store).flatMap((run): FoundRun[] => {
    const folder = storePaths.run(store, run);
    try {
      const manifest = readManifest(folder);
      const said = annotations.get(run)?.name;
      const name = said === undefined ? manifest.name : said;
      return [{ run, folder, manifest: { ...manifest, run, name } }];
    } catch {
      return [];
    }
  });
  return found.sort((a, b) => b.manifest.order - a.manifest.order || (a.run < b.run ? -1 : 1));
}

/** Ids that begin so, the newest folders first; of thousands no manifest is read but of those that are named. */
export function idsBeginning(store: string, beginning: string, limit: number): string[] {
  const fitting = listRunIds(store).filter((run) => run.startsWith(beginning));
  const dated = fitting.map((run) => {
    const folder = statSync(storePaths.run(store, run), { throwIfNoEntry: false });
    return { run, at: folder?.mtimeMs ?? 0 };
  });
  dated.sort((a, b) => b.at - a.at);
  return dated.slice(0, limit).flatMap(({ run }) => {
    try {
      return readManifest(storePaths.run(store, run)).kind === "replay" ? [] : [run];
    } catch {
      return [run];
    }
  });
}
