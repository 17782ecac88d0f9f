/**
 * @file What the user decided about landings: accepted, put elsewhere, written otherwise, left out.
 * Kept in the store, one line each, and used again by every later plan.
 *
 * A decision belongs to a statement as it is written in the newest version and to the text of the
 * older file. When either changes it does not hold any more.
 */
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import type { Landing } from "../../format/index.ts";
import { makeFolder, storePaths } from "../../store/index.ts";

/** What was decided about one statement in one text. */
export type LandingChoice =
  /** `landed`: what was looked at, by `landedId`. */
  | { readonly kind: "accept"; readonly landed: string }
  /** Put before this line of the older text, written so; what is not given is found as always. */
  | { readonly kind: "place"; readonly line?: number; readonly text?: string }
  | { readonly kind: "exclude" }
  /** As if nothing had been decided. */
  | { readonly kind: "forget" };

export interface KeptDecision {
  readonly v: 1;
  readonly name: string;
  /** The statement in the newest version, as it is written there. */
  readonly statement: string;
  /** The file of the older version, and SHA-256 of its text. */
  readonly file: string;
  readonly sha256: string;
  readonly choice: LandingChoice;
  readonly when: string;
}

/** Names what a landing would do, so that another one is not taken for it. */
export function landedId({ file, line, text, carried }: Landing): string {
  const told = JSON.stringify([file, line, text, carried.map((one) => one.text)]);
  return createHash("sha256").update(told).digest("hex");
}

export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The decisions of a store; the last one about a statement and a text counts. */
export class Decisions {
  readonly #byKey = new Map<string, KeptDecision>();
  readonly #used = new Set<KeptDecision>();

  constructor(decisions: readonly KeptDecision[]) {
    for (const decision of decisions) {
      const key = keyOf(decision);
      if (decision.choice.kind === "forget") this.#byKey.delete(key);
      else this.#byKey.set(key, decision);
    }
  }

  /** What was decided about a statement, for the files of a version. */
  find(
    wanted: { readonly name: string; readonly statement: string },
    files: readonly string[],
    text: (file: string) => string | undefined,
  ): KeptDecision | undefined {
    for (const decision of this.#byKey.values()) {
      if (decision.name !== wanted.name || decision.statement !== wanted.statement) continue;
      if (!files.includes(decision.file)) continue;
      const own = text(decision.file);
      if (own === undefined || textHash(own) !== decision.sha256) continue;
      this.#used.add(decision);
      return decision;
    }
    return undefined;
  }

  /** Decisions about a name that no statement or no version asked for: they hold no more. */
  unused(names: readonly string[]): KeptDecision[] {
    return [...this.#byKey.values()].filter((decision) => {
      return names.includes(decision.name) && !this.#used.has(decision);
    });
  }
}

function keyOf({ name, statement, file, sha256 }: KeptDecision): string {
  return JSON.stringify([name, statement, file, sha256]);
}

/** What was decided, oldest first; a line that cannot be read is passed over. */
export function readDecisions(store: string): KeptDecision[] {
  let text = "";
  try {
    text = readFileSync(storePaths.landings(store), "utf8");
  } catch {
    // Nothing was decided yet.
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => parseDecision(line) ?? []);
}

function parseDecision(line: string): KeptDecision | undefined {
  try {
    const value = JSON.parse(line) as Partial<KeptDecision>;
    const isOne = value.v === 1 && typeof value.name === "string" && value.choice !== undefined;
    return isOne ? (value as KeptDecision) : undefined;
  } catch {
    return undefined;
  }
}

/** Appends decisions. */
export function writeDecisions(store: string, decisions: readonly KeptDecision[]): void {
  makeFolder(store);
  const lines = decisions.map((decision) => `${JSON.stringify(decision)}\n`).join("");
  appendFileSync(storePaths.landings(store), lines);
}
