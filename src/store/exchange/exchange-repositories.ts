/** @file The repositories that keep a project's versions, and the one through which remotes are reached. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../project.ts";
import type { GitPlace } from "../versions/version-git.ts";
import { locateRepository } from "../versions/version-locate.ts";
import { openPrivate } from "../versions/version-private.ts";
import type { Remote } from "./exchange-git.ts";
import { absoluteAddress } from "./exchange-git.ts";

/** Repositories of a project's versions, and the one through which remotes are reached. */
export class ExchangeRepositories {
  readonly user: GitPlace | undefined;
  /** The project inside the user's repository. */
  readonly folder: string;
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
    const located = locateRepository(project.root);
    const repository = located.kind === "repository" ? located.repository : undefined;
    this.user = repository && { gitDir: repository.gitDir, workTree: repository.workTree };
    this.folder = repository?.folder.replace(/\/$/, "") || ".";
  }

  /** Versions of a project in no repository are kept apart (`version-private.ts`). */
  get private(): GitPlace {
    const { store, root } = this.#project;
    const temporary = mkdtempSync(join(store, "version-"));
    try {
      return { gitDir: openPrivate({ store, temporary }), workTree: root };
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  /** Where versions that were recorded so are kept here. */
  of(isPrivate: boolean): GitPlace {
    return isPrivate ? this.private : (this.user ?? this.private);
  }

  get any(): GitPlace {
    return this.user ?? this.private;
  }

  /** The remote, as the repository at `place` must call it. */
  address(remote: Remote, place: GitPlace): Remote {
    if (place === this.user) return remote;
    return { ...remote, address: absoluteAddress(this.user, remote) };
  }
}
