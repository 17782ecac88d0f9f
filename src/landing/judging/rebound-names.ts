/**
 * @file Further signs of a statement that would log another thing in the older version, in a language
 * that lets every name be replaced: an import or a variable in place of what the language gives, the
 * same word for another module, a loop over other data.
 */
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type {
  Binding,
  ImportedName,
  Iterated,
  LoopHead,
  ParsedFile,
  Syntax,
} from "../../languages/index.ts";
import { isOfProject } from "../adapting/import-fate.ts";
import type { FreeName } from "../pairing/paired-names.ts";
import { freeNames } from "../pairing/paired-names.ts";
import { pathOf } from "../pairing/visible-name.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";

type Warning = Landing["warnings"][number];

export function reboundNameWarnings(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  if (!pair.language.replacesNames) return [];
  const names = namesWhereItGoes(pair, adapted).flatMap(({ free, written, found }) => {
    if (found.kind !== "visible" && found.kind !== "missing") return [];
    const there = { name: written, binding: found.kind === "visible" ? found.binding : null };
    const isOther = isOtherBuiltin(pair, free, there) || isOtherImport(pair, free, there);
    return isOther ? [doubtfulName(`${written} may mean something else there`)] : [];
  });
  return [...names, ...otherLoops(pair, adapted), ...otherBranch(pair, adapted)];
}

function doubtfulName(text: string): Warning {
  return { code: "doubtful_name", text };
}

type OldName = Pick<FreeName, "name" | "binding">;

/** Functions of the language that modules have too, and give away by `from numpy import *`. */
const GIVEN_AWAY = /^(?:abs|all|any|divmod|max|min|pow|round|sorted|sum)$/;

/** The language's own function in the newer version, and something else in the older one. */
function isOtherBuiltin(pair: VersionPair, { name, binding }: FreeName, there: OldName): boolean {
  if (binding || !pair.language.isPlatformName(name)) return false;
  if (there.binding) return true;
  const [now, then] = [pair.now, pair.then].map(({ source }) => source.wildcards.join());
  return GIVEN_AWAY.test(name) && now !== then;
}

/** What one of the versions takes from a package, and the other from elsewhere. */
function isOtherImport(pair: VersionPair, { name, binding }: FreeName, there: OldName): boolean {
  if (!binding || !there.binding) return false;
  const now = importOf(pair.now.source, name, binding);
  const then = importOf(pair.then.source, there.name, there.binding);
  if (!now && !then) return false;
  if (now && then && pathOf(now) === pathOf(then)) return false;
  // Within a project functions are moved from file to file, and keep their names.
  const isOwn = (one: ImportedName | undefined, { text, file }: Where): boolean => {
    return !one || isOfProject(pair.language, file, one, text);
  };
  const { files } = pair;
  const isMoved =
    isOwn(now, { file: pair.now.source.file, text: (file) => files.now.text(file) }) &&
    isOwn(then, { file: pair.then.source.file, text: (file) => files.then.text(file) });
  return !isMoved || (now?.imported ?? name) !== (then?.imported ?? there.name);
}

interface Where {
  readonly file: string;
  readonly text: (file: string) => string | undefined;
}

function importOf(
  { imports }: ParsedFile,
  name: string,
  { kind, scope }: Binding,
): ImportedName | undefined {
  if (kind !== "import" || scope.parent !== null) return undefined;
  return imports.find(({ local }) => local === name);
}

/** The statement stood in the `else` of a loop, say, and would stand in that of a condition. */
function otherBranch(pair: VersionPair, { statement, target }: AdaptedStatement): Warning[] {
  const kinds = [pair.blockOf(statement), target.place.block].map(
    (block) => block?.parent?.type ?? "",
  );
  const [ours = "", theirs = ""] = kinds.map((kind) => kind.replace("elif_clause", "if_statement"));
  const isClause = kinds.some((kind) => /_clause$|^else of /.test(kind));
  if (!isClause || ours === theirs) return [];
  return [{ code: "other_branch", text: "it stands in another kind of branch there" }];
}

/** Loops around the statement that go over something else there. */
function otherLoops(pair: VersionPair, { statement, target }: AdaptedStatement): Warning[] {
  const block = pair.blockOf(statement);
  const around = new Set(ancestors(target.place.block));
  const loops = block ? [...ancestors(block)].filter(({ role }) => role === "loop") : [];
  return loops.flatMap((loop) => {
    const partner = pair.mapping.partnerOf(loop);
    if (!partner || !around.has(partner)) return [];
    const [ours, theirs] = [headOf(pair.now, loop)?.over, headOf(pair.then, partner)?.over];
    if (!ours || !theirs || isOverSame(pair, ours, theirs)) return [];
    const line = pair.then.source.lines.at(partner.start).line;
    return [doubtfulName(`the loop at line ${line} goes over something else there`)];
  });
}

function headOf({ source, tree }: Side, loop: TreeNode): LoopHead | undefined {
  const syntax = tree.syntaxOf.get(loop);
  return syntax && source.loops.get(syntax);
}

/** Whether the two have a word in common, by whatever name the older version has it. */
function isOverSame(pair: VersionPair, ours: Iterated, theirs: Iterated): boolean {
  if (ours.name !== undefined && ours.name === theirs.name) return true;
  const words = new Set(theirs.words);
  if (ours.words.length === 0 || words.size === 0) return true;
  if (ours.words.some((word) => words.has(word))) return true;
  if (isSameValue(pair, ours, theirs) || isSameCount(pair, ours, theirs)) return true;
  const scopedOffset = { scope: pair.then.scopes.root, offset: theirs.start };
  return freeNames(pair.now.scopes, ours).some((free) => {
    if (free.binding?.kind === "parameter") return true;
    // The loop is in both versions, and so are its names.
    const called = pair.names.pairedNameAt({ ...free, uses: [] }, scopedOffset);
    return called.kind === "renamed" && !called.isDoubtful && words.has(called.to);
  });
}

/** `range(N_EPOCHS)` and `range(args.epochs)`: both count from 0, and up to what has one word in another form. */
function isSameCount({ now, then }: VersionPair, ours: Iterated, theirs: Iterated): boolean {
  const isCount = ({ source: { text } }: Side, { start, end }: Iterated): boolean =>
    /^range\([\w.]+\)$/.test(text.slice(start, end));
  if (!isCount(now, ours) || !isCount(then, theirs)) return false;
  const [own, old] = [ours, theirs].map(({ words }) => tellingWords(words.at(-1) ?? ""));
  return own !== undefined && own !== "" && own === old;
}

/** `epochs` of `N_EPOCHS`, `numEpochs` and `epochs`. */
function tellingWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .split("_");
  return words.filter((word) => !/^(?:n|num|max|number|of|total)?$/.test(word)).join(" ");
}

/** Whether both go over what the same expression gives, by a name that the other version does not have or written out. */
function isSameValue({ now, then }: VersionPair, ours: Iterated, theirs: Iterated): boolean {
  const own = valueOf(now, ours, then);
  return own !== undefined && own.hash === valueOf(then, theirs, now)?.hash;
}

/** What is gone over, or what the name of it was given; undefined: it may be another value by then. */
function valueOf(side: Side, over: Iterated, other: Side): TreeNode | undefined {
  const { scopes, source, tree } = side;
  const node = tree.nodes.find(({ start, end }) => start === over.start && end === over.end);
  const syntax = node && tree.syntaxOf.get(node);
  const name = syntax && scopes.referenceOf.get(syntax);
  if (!name) return node;
  const { binding } = name;
  const [declaration] = binding?.declarations ?? [];
  const given = declaration && tree.nodeOf.get(declaration)?.parent;
  const isKnown = [...other.scopes.bindingOf.values()].some((one) => one.name === name.name);
  if (!binding || binding.definitions.length !== 1 || given?.type !== DEFINITION || isKnown)
    return undefined;
  const { mutated, passed } = source.mutations;
  const mayChange = scopes.references.some((one) => {
    if (one.binding !== binding) return false;
    return mutated.has(one.node) || (passed.has(one.node) && isForNothing(source, one.node));
  });
  return mayChange ? undefined : given.children[1];
}

/** Of a node whose two children are a name and the value that it is given. */
const DEFINITION = "Definition";

/** Whether a part stands in a call of which nobody takes the result. */
function isForNothing({ statements, uses }: ParsedFile, part: Syntax): boolean {
  const around = statements.findLast(({ node }) => isInside(part, node));
  const isCall = uses.calls.some(({ node }) => node.start === around?.node.start);
  return isCall && around?.isLogOnly === false;
}
