/**
 * @file The source of each run with the asked statements in it. Where the working tree differs by
 * added log statements only, its text is taken; every other version gets the statements put in where
 * they belong there (FlorDB §5.3), and what was put in is verified to be all that differs.
 *
 * Versions whose source is the same text are landed and analyzed once.
 */
import type { Landing, Manifest, Overlay, SourcePlace, Verdict } from "../../format/index.ts";
import { modeOf } from "../../format/index.ts";
import type { SourceLog, SourceLoop, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource } from "../../languages/index.ts";
import type { LoopMatch } from "../../planner/index.ts";
import { matchLoops } from "../../planner/index.ts";
import type { Statement } from "../questions/asked-statements.ts";
import { asStatements } from "../questions/asked-statements.ts";
import type { Decisions } from "./landing-decisions.ts";
import type { LandedNames, NameLanding } from "./land-names.ts";
import { isCertain, landNames, leftOut, worstOf } from "./land-names.ts";
import type { Origin, Origins } from "./origins.ts";
import { loadedFiles } from "./run-sources.ts";
import type { RunSources } from "./run-sources.ts";
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
  readonly names: readonly NameLanding[];
  readonly statements: readonly Statement[];
  /** Of the text with the statements. */
  readonly model: SourceModel;
  /** From places of the text that ran to loops of the model. */
  readonly match: LoopMatch;
  /** Statements that the runs did not have, asked for or not. */
  readonly probes: readonly SourcePlace[];
  readonly overlays: readonly Overlay[];
}

/** A source that none of the statements can be put into. */
export interface RefusedSource {
  readonly kind: "refused";
  readonly key: string;
  readonly why: string;
  readonly names: readonly NameLanding[];
}

export interface LandingTools {
  readonly tree: WorkingTree;
  readonly texts: VersionTexts;
  readonly sources: RunSources;
  readonly origins: Origins;
  readonly decisions: Decisions;
}

type Read = (file: string) => string | undefined;

/** Lands statements in versions. */
export class LandedSources {
  readonly #tools: LandingTools;
  readonly #names: readonly string[];
  readonly #known = new Map<string, LandedSource | RefusedSource>();
  /** By name and program, what was added beside its statements since the newest version without them. */
  readonly #added = new Map<string, ReadonlySet<string>>();
  /** By name and program, the source that it was last put into for certain. */
  readonly #last = new Map<string, Origin>();

  constructor(tools: LandingTools, names: readonly string[]) {
    this.#tools = tools;
    this.#names = names;
  }

  /**
   * The source of a run; undefined if its program has nothing to do with the asked names. To be asked
   * for the newest run first: what lands in one version helps to land in the one before.
   */
  of(manifest: Manifest): LandedSource | RefusedSource | undefined {
    const { origins, texts, sources } = this.#tools;
    const own = new Map(this.#names.map((name) => [name, origins.of(manifest, name)] as const));
    if ([...own.values()].every((found) => found.length === 0)) return undefined;
    const problem = texts.problem(manifest);
    if (problem !== undefined) return { kind: "refused", key: "", why: problem, names: [] };
    const key = sources.keyOf(manifest);
    let source = this.#known.get(key);
    if (!source) this.#known.set(key, (source = this.#land(manifest, key, own)));
    return source;
  }

  #land(manifest: Manifest, key: string, origins: Wishes): LandedSource | RefusedSource {
    const before: Read = (file) => this.#tools.texts.textOf(manifest, file);
    const files = loadedFiles(manifest).filter(isSource);
    const tree = this.#asTree(manifest, origins, { files, before });
    const mode = modeOf(manifest);
    const landed = landNames({
      mode,
      nearer: (name) => this.#last.get(`${name}\n${manifest.program}`) ?? this.#last.get(name),
      wishes: new Map(
        [...origins].filter(([name]) => !tree?.names.some((one) => one.name === name)),
      ),
      hasCertain: tree?.names.some(({ verdict }) => isCertain(verdict)) ?? false,
      files,
      before,
      base: (file) => (tree ? this.#tools.tree.text(file) : undefined) ?? before(file),
      placed: tree?.overlays ?? [],
      decisions: this.#tools.decisions,
    });
    const names = [...(tree?.names ?? []), ...landed.names].map((one) =>
      this.#asEdited(one, manifest.program),
    );
    const usable = names.filter(({ verdict }) => verdict !== "cannot");
    if (usable.length === 0) {
      const why = [...new Set(names.map((one) => one.why))].join("; ");
      return { kind: "refused", key, why: why || "nothing logs it", names };
    }
    const ofTree = new Set(tree?.names.map(({ name }) => name));
    const isTree = tree !== undefined && usable.every(({ name }) => ofTree.has(name));
    const { overlays, inserted, probes } = isTree ? tree : landed;
    const { program } = manifest;
    const text = textWith(overlays, before);
    const model = isTree
      ? this.#tools.tree.model(program, mode)
      : analyzeProgram(program, text, mode);
    const loops = loopsBefore(model.loops, inserted);
    if (loops.length < model.loops.length) {
      return { kind: "refused", key, why: "what it needs has a loop of its own", names };
    }
    const commit = manifest.version?.commit ?? null;
    for (const name of usable) {
      // What somebody decided about one version says nothing about those before it.
      if (!isCertain(name.verdict) || name.isDecided) continue;
      const origin = originOf(name, { program, version: commit, model, text });
      this.#last.set(`${name.name}\n${program}`, origin).set(name.name, origin);
    }
    return {
      kind: "landed",
      key,
      program,
      verdict: worstOf(usable.map(({ verdict }) => verdict)),
      names,
      statements: statementsIn({ model, text }, usable),
      model,
      match: matchLoops({ loops }, model),
      probes,
      overlays,
    };
  }

  /**
   * What was added with the statement is what the newest version without it does not have: what only
   * older ones lack is the work of other days.
   */
  #asEdited(landed: NameLanding, program: string): NameLanding {
    const { name, verdict, leftOut } = landed;
    if (verdict === "cannot" || verdict === "present") return landed;
    const key = `${name}\n${program}`;
    const added = this.#added.get(key) ?? new Set(leftOut);
    this.#added.set(key, added);
    return { ...landed, leftOut: leftOut.filter((text) => added.has(text)) };
  }

  /** The working tree in place of the version, if they differ by log statements only. */
  #asTree(
    manifest: Manifest,
    origins: Wishes,
    then: { readonly files: readonly string[]; readonly before: Read },
  ): TreeSource | undefined {
    const { tree, sources, decisions } = this.#tools;
    if (!tree.has(manifest.program)) return undefined;
    const fit = sources.compare(manifest);
    if (!fit) return undefined;
    const { probes, overlays, inserted } = fit;
    const isAdded = ({ file, line }: SourcePlace): boolean =>
      probes.some((probe) => probe.file === file && probe.line === line);
    const names = [...origins].flatMap(([name, found]): NameLanding[] => {
      const origin = found.find(({ version }) => version === null);
      if (!origin) return [];
      const logs = [
        ...new Map(origin.logs.map((log) => [`${log.file}:${log.line}`, log])).values(),
      ];
      const statements = logs.map((log) => log.text);
      const landings = logs.map((log): Landing => {
        const wanted = { name, statement: log.text };
        const decision = decisions.find(wanted, then.files, then.before);
        if (decision?.choice.kind === "exclude") return leftOut(log.file);
        return standing(log, isAdded(log) ? "exact" : "present");
      });
      const verdict = worstOf(landings.map((one) => one.verdict));
      const [first] = landings;
      const why = first?.reason ?? "";
      const brought = { carried: [], leftOut: [], isDecided: false };
      return [{ name, verdict, why, landings, statements, ...brought }];
    });
    return { names, probes, overlays, inserted };
  }
}

type Wishes = ReadonlyMap<string, readonly Origin[]>;

type TreeSource = Pick<LandedNames, "names" | "probes" | "overlays" | "inserted">;

/** A source into which a name was put, as one to take it from. */
function originOf(
  { name, landings, statements, leftOut }: NameLanding,
  source: Omit<Origin, "logs">,
): Origin {
  const written = (log: SourceLog): string => {
    const at = landings.findIndex(({ file, line }) => file === log.file && line === log.line);
    return statements[at] ?? statements[0] ?? log.text;
  };
  return { ...source, logs: findStatements(source.model, name), written, leftOut };
}

/** A statement of the working tree in a version that differs from it by log statements only. */
function standing({ file, line, column, text }: SourceLog, verdict: "exact" | "present"): Landing {
  return {
    verdict,
    file,
    line,
    column,
    text,
    confidence: 1,
    reason:
      verdict === "present"
        ? "it stands there already"
        : "only log statements are new since this version",
    warnings: [],
    carried: [],
    renames: [],
    refusal: null,
  };
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
  landed: readonly NameLanding[],
): Statement[] {
  return landed.flatMap((one) => {
    const logs = findStatements(model, one.name);
    return asStatements(one.name, { logs, model, text, version: null }, one);
  });
}

/** The loops as they stood in the text that ran; what was put in has none. */
function loopsBefore(
  loops: readonly SourceLoop[],
  inserted: LandedNames["inserted"],
): SourceLoop[] {
  return loops.flatMap((loop) => {
    const file = inserted.get(loop.file);
    const place = file ? file.before(loop) : loop;
    return place ? [{ ...loop, line: place.line, column: place.column }] : [];
  });
}
