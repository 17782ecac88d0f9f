/**
 * @file The source texts of the runs' versions, read from git in batches: each content once, however
 * many versions share it, and none that the working tree still has.
 */
import type { Manifest } from "../../format/index.ts";
import { describeError } from "../../format/index.ts";
import type { KeptFile, Project } from "../../store/index.ts";
import { readVersionFiles } from "../../store/index.ts";
import { textHash } from "./landing-decisions.ts";
import { Memo } from "./memo.ts";

/** The text of a file; undefined if there is none. */
export type ReadText = (file: string) => string | undefined;

/** The files of the project that a run loaded, its program among them. */
export function loadedFiles({ sources, program }: Manifest): string[] {
  const loaded = Object.keys(sources).map((file) => file.replaceAll("\\", "/"));
  return [...new Set([program, ...loaded])].sort();
}

/** Files of versions, by run. */
export class VersionTexts {
  readonly #project: Project;
  readonly #now: ReadText;
  readonly #kept = new Map<string, KeptFile | undefined>();
  readonly #hashes = new Memo<string | undefined>();
  readonly #problems = new Map<string, string>();

  /** `now`: the working tree, as far as it saves reading. */
  constructor(project: Project, now: ReadText) {
    this.#project = project;
    this.#now = now;
  }

  /** Reads files of versions, with two processes of git. */
  read(
    wanted: readonly { readonly manifest: Manifest; readonly files: readonly string[] }[],
  ): void {
    const unread = wanted.flatMap(({ manifest, files }) => {
      const { run, version } = manifest;
      if (version === null) return [];
      return files
        .filter((file) => !this.#isRead(manifest, file))
        .map((file) => ({ run, version, file }));
    });
    try {
      const found = readVersionFiles(this.#project, unread);
      unread.forEach((of, at) => this.#kept.set(keyOf(of, of.file), found[at]));
    } catch (error) {
      for (const { run } of unread) this.#problems.set(run, describeError(error));
    }
  }

  /** Why the version of a run cannot be read; undefined: it can. */
  problem({ run, version }: Manifest): string | undefined {
    return version === null ? "its source was not kept" : this.#problems.get(run);
  }

  /** Names the text that the run had: the same name, the same text. Undefined: it had no such file. */
  nameOf(manifest: Manifest, file: string): string | undefined {
    return this.#isRead(manifest, file) ? this.#kept.get(keyOf(manifest, file))?.id : undefined;
  }

  /** The text that the run had of a file; one that was not read yet is read now. */
  textOf(manifest: Manifest, file: string): string | undefined {
    if (!this.#isRead(manifest, file)) this.read([{ manifest, files: [file] }]);
    return this.#kept.get(keyOf(manifest, file))?.text;
  }

  /** Whether a file was read, or need not be: the recorder took the hash of what it loaded. */
  #isRead(manifest: Manifest, file: string): boolean {
    const key = keyOf(manifest, file);
    const id = manifest.sources[file];
    if (this.#kept.has(key) || id === undefined || id !== this.#hashNow(file)) {
      return this.#kept.has(key);
    }
    this.#kept.set(key, { id, text: this.#now(file) ?? "" });
    return true;
  }

  #hashNow(file: string): string | undefined {
    return this.#hashes.get([file], () => {
      const text = this.#now(file);
      return text === undefined ? undefined : textHash(text);
    });
  }
}

function keyOf({ run }: { readonly run: string }, file: string): string {
  return `${run}:${file}`;
}
