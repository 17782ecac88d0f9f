/**
 * @file `run.json` of a run that is being recorded: completed when the run ends, and before, when
 * its sources are known, so that a run that is killed can be resumed with these sources only.
 */
import type { AuditFinding, Manifest } from "../format/index.ts";
import { manifestToJson } from "../format/index.ts";
import { replaceFile, runPaths } from "../store/index.ts";
import type { Hashes } from "./environment.ts";

export interface RunManifestOptions {
  readonly runFolder: string;
  /** As it was written when the run began. */
  readonly manifest: Manifest;
  /** `known`, and the sources that have been loaded by now. */
  readonly loaded: (known: Hashes) => Hashes;
  /** Hashes of the environment variables that these sources name, as they were. */
  readonly environment: (files: readonly string[]) => Hashes;
}

/** What is known only in the end. */
export type RunEnd = Pick<
  Manifest,
  "status" | "exitCode" | "rewriter" | "audit" | "off" | "warnings" | "overhead"
> & { readonly runMs: number };

export class RunManifest {
  readonly #options: RunManifestOptions;
  #sources: Hashes;
  #environment: Hashes;
  #audit: readonly AuditFinding[] | undefined;
  /** What it took to keep which sources there are, while the program waited. */
  keptMs = 0;

  constructor(options: RunManifestOptions) {
    this.#options = options;
    this.#sources = options.manifest.sources;
    this.#environment = options.manifest.environment ?? {};
    this.#audit = options.manifest.audit;
  }

  /** Writes which sources the program has loaded, if there are more than were known. */
  keepSources(): void {
    const started = performance.now();
    const before = Object.keys(this.#sources).length;
    const known = this.#withSources();
    try {
      if (Object.keys(known.sources).length !== before) this.#write(known);
    } catch {
      // A full disk is reported by those whose work is lost by it.
    }
    this.keptMs += performance.now() - started;
  }

  /** A run that is killed has what its audit found until then. */
  keepAudit(audit: readonly AuditFinding[]): void {
    this.#audit = audit;
    try {
      this.#write(this.#withSources());
    } catch {
      // As above; it is written again in the end.
    }
  }

  /** Throws what the disk throws. */
  complete({ runMs, ...end }: RunEnd): void {
    const started = Date.parse(this.#options.manifest.started);
    // Somebody may have set the clock back meanwhile: a run does not end before it began.
    const endedMs = Math.max(new Date().getTime(), started + Math.ceil(runMs));
    this.#write({ ...this.#withSources(), ...end, ended: new Date(endedMs).toISOString() });
  }

  #withSources(): Manifest {
    const { manifest, loaded, environment } = this.#options;
    this.#sources = loaded(this.#sources);
    const sources = this.#sources;
    // Somebody may edit a source while it runs: what it named when it was loaded stays.
    this.#environment = { ...environment(Object.keys(sources)), ...this.#environment };
    const known = { ...manifest, sources, environment: this.#environment };
    return this.#audit ? { ...known, audit: this.#audit } : known;
  }

  #write(manifest: Manifest): void {
    replaceFile(runPaths.manifest(this.#options.runFolder), manifestToJson(manifest));
  }
}
