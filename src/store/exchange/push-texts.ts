/**
 * @file What the texts of a run hold that are about to leave: arguments, logged values, and what is said of
 * it (decision 0111). A log never changes, so nothing can be taken out of it.
 */
import { readFileSync } from "node:fs";
import type { Annotation } from "../../format/index.ts";
import { annotationToJson } from "../../format/index.ts";
import { runPaths } from "../store-paths.ts";
import type { FoundSecret } from "../versions/version-secrets.ts";
import { rawPath } from "../versions/version-git.ts";
import { secretInText } from "../versions/version-secrets.ts";

/** What looks like a secret, each by a path that `record.not_secret` can name: `log.jsonl:api_key`. */
export function secretsInRun(folder: string): FoundSecret[] {
  const found = new Map<string, string>();
  const note = (name: string, text: string): void => {
    const what = secretInText(text);
    if (what !== undefined && !found.has(name)) found.set(name, what);
  };
  const manifest = textOf(runPaths.manifest(folder));
  if (secretInText(manifest) !== undefined) {
    for (const [field, value] of Object.entries(JSON.parse(manifest) as object)) {
      note(`run.json:${field}`, JSON.stringify(value));
    }
  }
  const log = textOf(runPaths.log(folder));
  // Once as a whole: of a log without any no line is looked at.
  if (secretInText(log) !== undefined) {
    for (const line of log.split("\n")) {
      if (secretInText(line) !== undefined) note(`log.jsonl:${nameIn(line)}`, line);
    }
  }
  return [...found].map(([name, what]) => ({ path: rawPath(name), what }));
}

/** The same of one thing that was said: `annotations.jsonl:note`. */
export function secretInAnnotation(annotation: Annotation): FoundSecret | undefined {
  const what = secretInText(annotationToJson(annotation));
  return what === undefined ? undefined : { path: `annotations.jsonl:${annotation.k}`, what };
}

/** What a record is called: an argument or a logged value by its name, others by their kind. */
function nameIn(line: string): string {
  try {
    const { name, k } = JSON.parse(line) as { readonly name?: unknown; readonly k?: unknown };
    return String(name ?? k);
  } catch {
    return "a line";
  }
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}
