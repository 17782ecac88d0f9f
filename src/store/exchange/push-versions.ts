/**
 * @file The versions of the runs that a push sends, in the repositories that keep them: which are there,
 * which are held back for what looks like a secret in them, and how they are sent.
 */
import type { Project } from "../project.ts";
import { readManifest } from "../runs.ts";
import { storePaths } from "../store-paths.ts";
import type { GitPlace } from "../versions/version-git.ts";
import { rawToText } from "../versions/version-git.ts";
import type { FoundSecret } from "../versions/version-secrets.ts";
import { ownPaths } from "../versions/version-secrets.ts";
import type { Refspec, Remote } from "./exchange-git.ts";
import { commitsAmong, RUNS, sendRefs } from "./exchange-git.ts";
import type { LeavingVersion, PushContents, PushedRun, SecretFile } from "./push-contents.ts";
import { folderOf, LeavingVersions } from "./push-contents.ts";

/** Files of a version that a refusal names. */
const SECRETS_NAMED = 3;

/** The repositories of a project's versions. */
interface Repositories {
  readonly user: GitPlace | undefined;
  of(isPrivate: boolean): GitPlace;
  address(remote: Remote, place: GitPlace): Remote;
}

/** Versions before the logs that name them: a log that is there can always be looked up. */
export class VersionsToSend {
  readonly refused: Map<string, string> = new Map();
  readonly secrets: Map<string, readonly SecretFile[]> = new Map();
  /** All of these, as `record.not_secret` names them. */
  readonly named: string[] = [];
  readonly #places: Repositories;
  readonly #parts: readonly {
    readonly place: GitPlace;
    readonly specs: readonly Refspec[];
    readonly leaving: LeavingVersions;
  }[];

  constructor(
    places: Repositories,
    project: Project,
    about: { readonly runs: readonly string[]; readonly there: ReadonlyMap<string, string> },
  ) {
    this.#places = places;
    this.#parts = [false, true].flatMap((isPrivate) => {
      const versions = about.runs.flatMap((run): LeavingVersion[] => {
        const { kind, version } = readManifest(storePaths.run(project.store, run));
        if (kind === "replay" || version === null || version.private !== isPrivate) return [];
        return about.there.get(RUNS + run) === version.commit ? [] : [{ run, version }];
      });
      if (versions.length === 0) return [];
      const place = places.of(isPrivate);
      const commits = commitsAmong(
        place,
        versions.map(({ version }) => version.commit),
      );
      for (const { run, version } of versions) {
        if (commits.has(version.commit)) continue;
        this.refused.set(run, "its version is gone from the repository");
      }
      const present = versions.filter(({ version }) => commits.has(version.commit));
      const leaving = new LeavingVersions(place, project, present);
      const held = leaving.secrets();
      for (const [run, found] of held) this.#refuse(run, found);
      for (const { run, version } of present) {
        this.named.push(...ownPaths(held.get(run) ?? [], folderOf(version)));
      }
      const specs = present
        .filter(({ run }) => !this.refused.has(run))
        .map(({ run, version }): Refspec => {
          const ref = RUNS + run;
          return { object: version.commit, ref, before: about.there.get(ref) ?? null };
        });
      return [{ place, specs, leaving }];
    });
  }

  sizeOf(run: string): PushedRun["version"] {
    for (const { specs, leaving } of this.#parts) {
      const spec = specs.find(({ ref }) => ref === RUNS + run);
      if (spec) return leaving.sizeOf(spec.object);
    }
    return null;
  }

  tracked(remote: Remote): Pick<PushContents, "commits" | "tracked"> {
    const user = this.#parts.find(({ place }) => place === this.#places.user);
    return user?.leaving.tracked(remote) ?? { commits: 0, tracked: [] };
  }

  /** Answers what was refused, by run. */
  send(remote: Remote): Map<string, string> {
    const refused = new Map<string, string>();
    for (const { place, specs } of this.#parts) {
      for (const [ref, why] of sendRefs(place, this.#places.address(remote, place), specs)) {
        refused.set(ref.slice(RUNS.length), why);
      }
    }
    return refused;
  }

  #refuse(run: string, found: readonly FoundSecret[]): void {
    const files = found.map(({ path, what }) => ({ file: rawToText(path), what }));
    this.secrets.set(run, files);
    const named = files.slice(0, SECRETS_NAMED).map(({ file, what }) => `${file} (${what})`);
    const more = files.length > SECRETS_NAMED ? " and more" : "";
    this.refused.set(run, `its version holds ${named.join(", ")}${more}`);
  }
}
