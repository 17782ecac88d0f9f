/**
 * @file The source texts of the runs' versions, read from git in batches: each content once, however
 * many versions share it, and none that the working tree still has.
 */
import { createHash } from "node:crypto";
import type { Manifest } from "../../format/index.ts";
import { describeError } from "../../format/index.ts";
import type { Project, WantedFile } from "../../store/index.ts";
import { readVersionFiles } from "../../store/index.ts";

/** The working tree, as far as it saves reading. */
interface Present {
  text(file: string): string | undefined;
}

/** Files of versions, by run. */
export class VersionTexts {
  readonly #project: Project;
  readonly #now: Present;
  /** Texts by what names them: `sha256` of the manifest, or git's name. */
  readonly #texts = new Map<string, string>();
  readonly #kept = new Map<string, string | undefined>();
  readonly #hashes = new Map<string, string | undefined>();
  readonly #problems = new Map<string, string>();

  constructor(project: Project, now: Present) {
    this.#project = project;
    this.#now = now;
  }

  /** Reads files of versions, with two processes of git. */
  read(
    wanted: readonly { readonly manifest: Manifest; readonly files: readonly string[] }[],
  ): void {
    const files = wanted.flatMap(({ manifest, files: own }): WantedFile[] => {
      const { run, version } = manifest;
      if (version === null) return [];
      const unknown = own.filter(
        (file) => !this.#kept.has(keyOf(manifest, file)) && !this.#isSame(manifest, file),
      );
      return unknown.map((file) => ({ run, version, file }));
    });
    try {
      const found = readVersionFiles(this.#project, files);
      files.forEach((file, at) => {
        const kept = found[at];
        if (kept) this.#texts.set(kept.id, kept.text);
        this.#kept.set(keyOf(file, file.file), kept?.id);
      });
    } catch (error) {
      for (const { run } of files) this.#problems.set(run, describeError(error));
    }
  }

  /** Why the version of a run cannot be read; undefined: it can. */
  problem({ run, version }: Manifest): string | undefined {
    return version === null ? "its source was not kept" : this.#problems.get(run);
  }

  /** Names the text that the run had: the same name, the same text. Undefined: it had no such file. */
  nameOf(manifest: Manifest, file: string): string | undefined {
    return this.#isSame(manifest, file)
      ? this.#hashNow(file)
      : this.#kept.get(keyOf(manifest, file));
  }

  /** The text that the run had of a file; one that was not read yet is read now. */
  textOf(manifest: Manifest, file: string): string | undefined {
    const isKnown = this.#kept.has(keyOf(manifest, file)) || this.#isSame(manifest, file);
    if (!isKnown) this.read([{ manifest, files: [file] }]);
    const name = this.nameOf(manifest, file);
    return name === undefined ? undefined : this.#texts.get(name);
  }

  /** By the hash that the recorder took when it loaded the file. */
  #isSame({ sources }: Manifest, file: string): boolean {
    return sources[file] !== undefined && sources[file] === this.#hashNow(file);
  }

  #hashNow(file: string): string | undefined {
    if (!this.#hashes.has(file)) {
      const text = this.#now.text(file);
      const hash = text === undefined ? undefined : sha256(text);
      this.#hashes.set(file, hash);
      if (text !== undefined && hash !== undefined) this.#texts.set(hash, text);
    }
    return this.#hashes.get(file);
  }
}

function keyOf({ run }: { readonly run: string }, file: string): string {
  return `${run}:${file}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
