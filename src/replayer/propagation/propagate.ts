/**
 * @file The asked statements in the source of every run: what `plan` prices and `where` shows. A fold
 * over versions from the newest to the oldest, in which each landed text is a source for the next.
 * Everything is read once, versions whose source is the same text are landed once, and nothing is
 * executed.
 */
import type { Manifest, PlannedRun, PlannedStatement } from "../../format/index.ts";
import { AfterlogError, modeOf } from "../../format/index.ts";
import type { SourceLog } from "../../languages/index.ts";
import { isSource, prepareLanguages } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import { questionsBehind } from "./ask-of-tree.ts";
import type { AskedCalls, AskedLine, AskedPlaces, SearchedTree } from "./asked-calls.ts";
import { askKeys, findCalls, placeOf } from "./asked-calls.ts";
import type { AskedOfVersion } from "./asked-edit.ts";
import type { AskedStatement } from "./asked-statements.ts";
import { askedStatements, plannedStatements } from "./asked-statements.ts";
import { Questions } from "./asked-question.ts";
import { differingLockfile, LOCKFILES } from "./lockfiles.ts";
import type { Brought } from "./bring.ts";
import { bringYours } from "./bring.ts";
import type { Landed, LandingTools } from "./landed-source.ts";
import { landInVersion } from "./landed-source.ts";
import type { KeptDecision } from "./landing-decisions.ts";
import { Decisions, readDecisions } from "./landing-decisions.ts";
import { Memo } from "./memo.ts";
import type { Piece } from "./pieces.ts";
import { isWritten, PieceFinder, pieceIn } from "./pieces.ts";
import type { AskedName, NameLanding, RecordedVersion } from "./place.ts";
import { isCertain } from "./place.ts";
import { isPutIn } from "./same-names.ts";
import { loadedFiles, VersionTexts } from "./version-texts.ts";
import type { Logpoint } from "./working-tree.ts";
import { WorkingTree } from "./working-tree.ts";

/** A run and its source with the statements. */
export interface SourcedRun {
  readonly manifest: Manifest;
  readonly source: Landed;
}

export interface Propagated {
  /** What is asked for. */
  readonly names: readonly string[];
  /** In the newest version that has them. */
  readonly statements: readonly PlannedStatement[];
  /** Runs of the programs that log the names, oldest first. */
  readonly runs: readonly SourcedRun[];
  /** What was decided about these names and holds no more. */
  readonly dropped: readonly KeptDecision[];
  /** The text that a run had of a file. */
  readonly textOf: (manifest: Manifest, file: string) => string | undefined;
  /** The packages that the version of a run names, if they are not the present ones. */
  readonly packagesOf: (manifest: Manifest) => PlannedRun["packages"];
  /** Whether the working tree still is what was read of it. */
  readonly isTreeUnchanged: () => boolean;
}

export interface PropagateOptions {
  readonly project: Project;
  /** With no lines either: what was added since the newest runs. */
  readonly names: readonly string[];
  /** Lines of the working tree whose log calls are asked for. */
  readonly lines?: readonly AskedLine[];
  readonly logpoints: readonly Logpoint[];
  /** The name under which it is asked for; absent: its own. */
  readonly as?: string | undefined;
  /** The log call without what was added beside it. */
  readonly onlyStatement?: boolean;
  /** Functions and classes of the working tree that the question uses in place of a version's own. */
  readonly bring?: readonly string[];
  readonly recorded: readonly Manifest[];
  /** Decisions to be tried, besides those that were kept. */
  readonly tried?: readonly KeptDecision[];
}

/** Puts the statements of these names into the sources of runs. Throws AL021 if nothing logs one. */
export async function propagate(options: PropagateOptions): Promise<Propagated> {
  const { project, recorded } = options;
  await prepareLanguages(recorded.map(({ program }) => program));
  const newestFirst = recorded.toSorted((a, b) => b.order - a.order);
  const tree = new WorkingTree(project, options.logpoints, modeOf(newestFirst[0] ?? {}));
  const texts = new VersionTexts(project, tree.text);
  texts.read(
    recorded.map((manifest) => ({ manifest, files: [...filesOf(manifest, tree), ...LOCKFILES] })),
  );
  const searched: SearchedTree = {
    tree,
    texts,
    newestFirst,
    filesOf: (manifest) => filesOf(manifest, tree),
  };
  askKeys(options.names, searched);
  const calls = findCalls(options, searched);
  const decisions = new Decisions([...readDecisions(project.store), ...(options.tried ?? [])]);
  const isRenamed = options.as !== undefined;
  const { onlyStatement = false, bring = [] } = options;
  const tools = { tree, decisions, isRenamed, onlyStatement };
  const brought = bringFor(bring, calls, searched, tools);
  const { names } = calls;
  const places = placesNow(calls.places, tree);
  const finder = new PieceFinder(tree, texts, { newestFirst, places });
  const statements = names.flatMap((name) => {
    return finder.all(name).flatMap((piece) => {
      const own = new Set(piece.parts.map(({ log }) => placeOf(log)));
      const all = askedStatements(name, piece, { isWritten: isWritten(name, [piece]) });
      return all
        .filter(({ log }) => own.has(placeOf(log)))
        .map((one) => ({ ...one, planned: tree.placeBefore(one.planned) }));
    });
  });
  const questions = new Questions();
  const newer = new NewerVersions();
  const sources = new Memo<Landed>();
  const runs = newestFirst.flatMap((manifest): SourcedRun[] => {
    const asked = names.map((name) => ({ name, pieces: finder.of(manifest, name) }));
    if (asked.every(({ pieces }) => pieces.length === 0)) return [];
    const why = texts.problem(manifest);
    if (why !== undefined) return [{ manifest, source: { kind: "refused", why, names: [] } }];
    const version = versionOf(manifest, tree, texts);
    const contents = version.files.map((file) => [file, texts.nameOf(manifest, file)]);
    const source = sources.get([version.program, version.mode, contents], () => {
      const own = { ...tools, questions, brought };
      const landed = landInVersion(version, newer.knownOf(asked, version), own);
      newer.add(landed, manifest);
      return landed;
    });
    return [{ manifest, source }];
  });
  return {
    ...withName(options.as, { names, statements, runs: runs.toReversed() }),
    // What was decided about the question with the version's own functions holds as before.
    dropped: bring.length > 0 ? [] : decisions.unused(names),
    textOf: (manifest, file) => texts.textOf(manifest, file),
    packagesOf: (manifest) => {
      return differingLockfile((file) => texts.textOf(manifest, file), tree.text);
    },
    isTreeUnchanged: () => tree.isUnchanged(),
  };
}

/** Lets questions use what is brought: the working tree's texts are others then. Throws AL025. */
function bringFor(
  names: readonly string[],
  calls: AskedCalls,
  searched: SearchedTree,
  tools: Omit<LandingTools, "questions" | "brought">,
): Brought {
  if (names.length === 0) return new Map();
  const { tree, texts, newestFirst, filesOf: allFiles } = searched;
  const finder = new PieceFinder(tree, texts, { newestFirst, places: calls.places });
  const own = { ...tools, questions: new Questions() };
  const runs = newestFirst.filter((run) => texts.problem(run) === undefined);
  const seen = new Memo<AskedOfVersion | undefined>();
  const versions = runs.flatMap((manifest) => {
    const asked = calls.names.map((name) => ({ name, pieces: finder.of(manifest, name) }));
    const version = versionOf(manifest, tree, texts);
    const contents = version.files.map((file) => [file, texts.nameOf(manifest, file)]);
    const key = [version.program, version.mode, contents];
    return seen.get(key, () => questionsBehind(version, asked, own)) ?? [];
  });
  const files = newestFirst.flatMap((manifest) => allFiles(manifest));
  return bringYours({ names, tree, files, versions: new Set(versions) });
}

/** The places of asked calls, in texts that may have been written otherwise. */
function placesNow(places: AskedPlaces, tree: WorkingTree): AskedPlaces {
  const moved = (place: string): string => {
    const [, file = "", line, column] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
    return placeOf(tree.placeNow({ file, line: Number(line), column: Number(column) }));
  };
  return new Map([...places].map(([name, own]) => [name, new Set([...own].map(moved))]));
}

type NamedRuns = Pick<Propagated, "names" | "runs">;

/** Under another name, if one was given. Throws AL001 if it could be that of several. */
function withName(
  as: string | undefined,
  { names, statements, runs }: NamedRuns & { readonly statements: readonly AskedStatement[] },
): NamedRuns & Pick<Propagated, "statements"> {
  if (as === undefined) return { names, statements: plannedStatements(statements), runs };
  const [name = "", ...others] = names;
  if (others.length > 0) {
    throw new AfterlogError("AL001", "--as gives one name another, and several are asked", {
      notes: [`asked: ${names.join(", ")}`],
      help: [`ask for one:  afterlog replay ${name} --as ${as}`],
    });
  }
  const renamed = ({ log, planned }: AskedStatement): AskedStatement => {
    return { log, planned: { ...planned, name: as, logged: name } };
  };
  const put = runs.map(({ manifest, source }): SourcedRun => {
    const own = source.names.map((one) => ({ ...one, name: as }));
    if (source.kind === "refused") return { manifest, source: { ...source, names: own } };
    const there = source.statements.filter(({ log }) => isPutIn(source, log)).map(renamed);
    const why = `it logs ${name} by the same statement`;
    return there.length === 0
      ? { manifest, source: { kind: "refused", why, names: own } }
      : { manifest, source: { ...source, names: own, statements: there } };
  });
  const texts = new Set(
    put.flatMap(({ source }) => {
      return source.kind === "refused" ? [] : source.statements.map(({ planned }) => planned.text);
    }),
  );
  const asked = statements.filter(({ planned }) => texts.size === 0 || texts.has(planned.text));
  return { names: [as], statements: plannedStatements(asked.map(renamed)), runs: put };
}

function filesOf(manifest: Manifest, tree: WorkingTree): string[] {
  const { program } = manifest;
  const now = tree.has(program) ? tree.model(program, modeOf(manifest)).files : [];
  return [...new Set([...loadedFiles(manifest), ...now])].sort();
}

function versionOf(manifest: Manifest, tree: WorkingTree, texts: VersionTexts): RecordedVersion {
  return {
    program: manifest.program,
    mode: modeOf(manifest),
    files: filesOf(manifest, tree),
    sources: loadedFiles(manifest).filter(isSource),
    before: (file) => texts.textOf(manifest, file),
  };
}

/** What the versions that are newer have shown of names: what the fold carries along. */
class NewerVersions {
  /** By name and program, and by name alone, as it was last put into a source for certain. */
  readonly #pieces = new Map<string, Piece>();
  /**
   * By name and program, what was added beside its statements since the newest version without them:
   * what only older ones lack is the work of other days.
   */
  readonly #added = new Map<string, readonly string[]>();

  knownOf(asked: readonly AskedName[], { program }: RecordedVersion): AskedName[] {
    return asked.map((one) => {
      const key = keyOf(one.name, program);
      const nearer = this.#pieces.get(key) ?? this.#pieces.get(keyOf(one.name));
      return { ...one, nearer, added: this.#added.get(key) };
    });
  }

  add(source: Landed, { program, version }: Manifest): void {
    for (const landing of source.names) {
      const { name, verdict, leftOut } = landing;
      const key = keyOf(name, program);
      if (verdict !== "cannot" && verdict !== "present" && !this.#added.has(key)) {
        this.#added.set(key, leftOut);
      }
      // What somebody decided about one version says nothing about those before it.
      if (source.kind === "refused" || !isCertain(landing) || landing.isDecided) continue;
      const { model, text } = source;
      const landed = { program, version: version?.commit ?? null, model, text };
      const piece = pieceIn(landed, name, (log) => statementAt(landing, log), landing.landings);
      if (!piece) continue;
      this.#pieces.set(key, { ...piece, leftOut }).set(keyOf(name), { ...piece, leftOut });
    }
  }
}

/** How a statement that landed is written in the newest version. */
function statementAt({ landings, statements }: NameLanding, log: SourceLog): string {
  const at = landings.findIndex(({ file, line }) => file === log.file && line === log.line);
  return statements[at] ?? statements[0] ?? log.text;
}

function keyOf(...words: readonly string[]): string {
  return JSON.stringify(words);
}
