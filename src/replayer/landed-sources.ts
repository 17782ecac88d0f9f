/**
 * @file The source of each run with the asked statements in it. Where the working tree differs by
 * added log statements only, its text is taken; every other version gets the statements put in where
 * they belong there (FlorDB §5.3), and what was put in is verified to be all that differs.
 *
 * Versions whose source is the same text are landed and analyzed once.
 */
import type { Landing, Manifest, Overlay, SourcePlace, Verdict } from "../format/index.ts";
import type { SourceLoop, SourceModel } from "../languages/index.ts";
import { analyzeProgram, placesBefore } from "../languages/index.ts";
import type { LoopMatch } from "../planner/index.ts";
import { matchLoops } from "../planner/index.ts";
import type { Statement } from "./asked-statements.ts";
import { asStatements } from "./asked-statements.ts";
import type { NameLanding } from "./land-names.ts";
import { landNames, worstOf } from "./land-names.ts";
import type { Origin, Origins } from "./origins.ts";
import { isCode, loadedFiles } from "./run-sources.ts";
import type { Comparison, RunSources } from "./run-sources.ts";
import type { VersionTexts } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";
import { findStatements } from "./working-tree.ts";

/** A source with statements of asked names in it. */
export interface LandedSource {
  readonly kind: "landed";
  /** The same for runs whose source is the same. */
  readonly key: string;
  readonly program: string;
  /** The worst of its names; `review`: it waits for somebody to look at it. */
  readonly verdict: Verdict;
  readonly landings: readonly Landing[];
  readonly statements: readonly Statement[];
  /** Of the text with the statements. */
  readonly model: SourceModel;
  /** From places of the text that ran to loops of the model. */
  readonly match: LoopMatch;
  /** Statements that the runs did not have, asked for or not. */
  readonly probes: readonly SourcePlace[];
  readonly overlays: readonly Overlay[];
  /** Names that cannot be logged there, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/** A source that none of the statements can be put into. */
export interface RefusedSource {
  readonly kind: "refused";
  readonly key: string;
  readonly why: string;
  readonly landings: readonly Landing[];
}

export interface LandingTools {
  readonly tree: WorkingTree;
  readonly texts: VersionTexts;
  readonly sources: RunSources;
  readonly origins: Origins;
}

/** Lands statements in versions. */
export class LandedSources {
  readonly #tools: LandingTools;
  readonly #names: readonly string[];
  readonly #known = new Map<string, LandedSource | RefusedSource>();

  constructor(tools: LandingTools, names: readonly string[]) {
    this.#tools = tools;
    this.#names = names;
  }

  /** The source of a run; undefined if its program has nothing to do with the asked names. */
  of(manifest: Manifest): LandedSource | RefusedSource | undefined {
    const { origins, texts, sources } = this.#tools;
    const own = new Map(
      this.#names.map((name) => [name, origins.of(manifest.program, name)] as const),
    );
    if ([...own.values()].every((found) => found.length === 0)) return undefined;
    const problem = texts.problem(manifest);
    if (problem !== undefined) return { kind: "refused", key: "", why: problem, landings: [] };
    const key = sources.keyOf(manifest);
    let source = this.#known.get(key);
    if (!source) this.#known.set(key, (source = this.#land(manifest, key, own)));
    return source;
  }

  #land(
    manifest: Manifest,
    key: string,
    origins: ReadonlyMap<string, readonly Origin[]>,
  ): LandedSource | RefusedSource {
    const { program } = manifest;
    const { tree, texts, sources } = this.#tools;
    const comparison: Comparison = tree.has(program)
      ? sources.compare(manifest)
      : { kind: "differs", why: `${program} is gone from the working tree` };
    const fits = comparison.kind === "fits" ? comparison : undefined;
    const isThere = (found: readonly Origin[]): boolean =>
      fits !== undefined && found.some(({ version }) => version === null);
    const standing = [...origins].filter(([, found]) => isThere(found)).map(([name]) => name);
    const before = (file: string): string | undefined => texts.textOf(manifest, file);
    const base = fits
      ? (file: string): string | undefined => tree.text(file) ?? before(file)
      : before;
    const landed = landNames({
      wishes: new Map([...origins].filter(([name]) => !standing.includes(name))),
      files: loadedFiles(manifest).filter(isCode),
      before,
      base,
      placed: fits?.overlays ?? [],
    });
    const { names, overlays, landings } = landed;
    const refused = names.flatMap(({ name, verdict, why }) => {
      return verdict === "cannot" ? [{ name, why }] : [];
    });
    const usable = names.filter(({ verdict }) => verdict !== "cannot");
    if (usable.length === 0 && standing.length === 0) {
      const why = [...new Set(refused.map((one) => one.why))].join("; ");
      return { kind: "refused", key, why: why || "nothing logs it", landings };
    }
    const text = textWith(overlays, before);
    const isOfTree = fits !== undefined && usable.length === 0;
    const model = isOfTree ? tree.model(program) : analyzeProgram(program, text);
    return {
      kind: "landed",
      key,
      program,
      verdict: worstOf([
        ...standing.map(() => "exact" as const),
        ...usable.map((one) => one.verdict),
      ]),
      landings,
      statements: statementsIn({ model, text }, standing, usable),
      model,
      match: matchLoops(
        { loops: loopsBefore(model.loops, overlays, { before, also: landed.also }) },
        model,
      ),
      probes: isOfTree ? (fits?.probes ?? []) : landed.probes,
      overlays,
      refused,
    };
  }
}

/** The text of a version with files put over it. */
function textWith(
  overlays: readonly Overlay[],
  before: (file: string) => string | undefined,
): (file: string) => string | undefined {
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  return (file) => changed.get(file) ?? before(file);
}

function statementsIn(
  { model, text }: Pick<Origin, "model" | "text">,
  standing: readonly string[],
  landed: readonly NameLanding[],
): Statement[] {
  const of = (name: string, carried: readonly string[]): Statement[] => {
    const logs = findStatements(model, name);
    return asStatements(name, { logs, model, text, version: null }, carried);
  };
  return [
    ...standing.flatMap((name) => of(name, [])),
    ...landed.flatMap(({ name, carried }) => of(name, carried)),
  ];
}

/** The loops as they stood in the text that ran; what was put in has none. */
function loopsBefore(
  loops: readonly SourceLoop[],
  overlays: readonly Overlay[],
  {
    before,
    also,
  }: {
    readonly before: (file: string) => string | undefined;
    readonly also: readonly string[];
  },
): SourceLoop[] {
  const places = new Map(
    overlays.map(({ file, text }) => {
      return [file, placesBefore(before(file) ?? "", text, file, also)] as const;
    }),
  );
  return loops.flatMap((loop) => {
    const place = places.has(loop.file) ? places.get(loop.file)?.(loop) : loop;
    return place ? [{ ...loop, line: place.line, column: place.column }] : [];
  });
}
