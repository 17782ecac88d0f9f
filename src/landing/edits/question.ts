/**
 * @file What is put in for asked log calls, over all files of a program: what a statement of one file
 * mentions and another file got belongs to it, and so do calls of a function in which a log call stands.
 */
import type { ImportedName, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import type { FileEdit } from "./align.ts";
import type { FilePiece } from "./piece.ts";
import { pieceFor } from "./piece.ts";

type Offsets = ReadonlyMap<string, readonly number[]>;

/** By file, what belongs to the log calls at these offsets of the newer texts. */
export function questionIn(
  edits: ReadonlyMap<string, FileEdit>,
  asked: Offsets,
): Map<string, FilePiece> {
  const needed = new Map<string, number[]>();
  for (;;) {
    const pieces = new Map(
      [...edits].map(([file, edit]) => {
        return [file, pieceFor(edit, asked.get(file) ?? [], needed.get(file))] as const;
      }),
    );
    const more = [...edits].flatMap(([file]) => neededBeside(edits, pieces, file));
    if (more.length === 0) return pieces;
    for (const { file, start } of more) needed.set(file, [...(needed.get(file) ?? []), start]);
  }
}

/** Added statements of a file that belong to what was taken of others, and were not taken yet. */
function neededBeside(
  edits: ReadonlyMap<string, FileEdit>,
  pieces: ReadonlyMap<string, FilePiece>,
  file: string,
): { readonly file: string; readonly start: number }[] {
  const edit = edits.get(file);
  const taken = new Set(pieces.get(file)?.statements.map(({ statement }) => statement));
  const others = [...edits].filter(([other]) => other !== file);
  const theirs = others.map(([other, own]) => takenIn(own, pieces.get(other)));
  const words = new Set(theirs.flatMap((one) => [...one.words]));
  const functions = new Set(theirs.flatMap((one) => one.functions));
  const groups = new Set(others.flatMap(([other]) => groupsIn(pieces.get(other))));
  if (!edit) return [];
  const modules = [...edits].flatMap(([other, one]) => modulesIn(one, pieces.get(other)));
  const keepers = importedNow(edit).filter((one) => modules.includes(moduleName(one)));
  const shaped = new Map(edit.gaps.flatMap((gap) => [...gap.shaped]));
  return edit.gaps
    .flatMap(({ added }) => added)
    .filter((one) => !taken.has(one) && !one.isLog && !one.isLogOnly)
    .filter((one) => {
      const own = wordsIn(edit, one);
      const { group, keys = [] } = shaped.get(one) ?? {};
      if ((group && groups.has(group)) || keys.some((key) => words.has(key))) return true;
      if (givenBy(edit, one).some((name) => words.has(name))) return true;
      if ([...own].some((word) => functions.has(word))) return true;
      // A module that came along may keep something.
      const doesSomething = one.effect === "calls" || one.effect === "changes";
      return doesSomething && keepers.some(({ local }) => own.has(local));
    })
    .map(({ node: { start } }) => ({ file, start }));
}

/** What was taken of a file that is one change with others. */
function groupsIn(piece: FilePiece | undefined): object[] {
  return (piece?.statements ?? []).flatMap(({ statement, gap }) => {
    return gap.shaped.get(statement)?.group ?? [];
  });
}

function takenIn(
  edit: FileEdit,
  piece: FilePiece | undefined,
): { readonly words: ReadonlySet<string>; readonly functions: readonly string[] } {
  const statements = piece?.statements.map(({ statement }) => statement) ?? [];
  const functions = statements.filter((one) => one.parameters !== undefined || one.isDeclaration);
  return {
    words: new Set(statements.flatMap((one) => [...wordsIn(edit, one)])),
    functions: functions.flatMap((one) => givenBy(edit, one)),
  };
}

/** Names of modules that a file did not import before, and what was taken of it mentions. */
function modulesIn(edit: FileEdit, piece: FilePiece | undefined): string[] {
  const { words } = takenIn(edit, piece);
  return importedNow(edit)
    .filter(({ local }) => words.has(local))
    .map(moduleName);
}

function importedNow({ then, now }: FileEdit): ImportedName[] {
  const before = new Set(then.imports.map(({ module, local }) => `${module} ${local}`));
  return now.imports.filter(({ module, local }) => !before.has(`${module} ${local}`));
}

/** However files in other folders write it. */
function moduleName({ module }: ImportedName): string {
  return (
    module
      .replace(/\.[cm]?[jt]s$/, "")
      .split(/[./]/)
      .at(-1) ?? module
  );
}

/** Names and attributes that others know a statement by, or by which they see what it changes. */
function givenBy({ now }: FileEdit, { node, member }: Statement): string[] {
  const { scopes, mutations, uses } = now;
  const changed = scopes.references.filter(({ node: at, isWrite, binding }) => {
    const isOfModule = binding?.scope.parent === null;
    return isOfModule && isInside(at, node) && (isWrite || mutations.mutated.has(at));
  });
  const through = uses.calls
    .filter(({ node: at, effect }) => isInside(at, node) && effect !== "none")
    .flatMap(({ callee }) => now.text.slice(callee.start, callee.end).split(".").slice(1, -1));
  const declared = [...now.scopes.bindingOf].filter(([at, { scope }]) => {
    return scope.parent === null && isInside(at, node);
  });
  const written = now.uses.writes.filter(({ target }) => isInside(target, node));
  const [, exported = ""] =
    /^export\s*\{([^}]*)\}/.exec(now.text.slice(node.start, node.end)) ?? [];
  const attributes = written.flatMap(({ path }) => path?.split(".").slice(1).at(-1) ?? []);
  return [
    ...[...declared.map(([, binding]) => binding), ...changed].map(({ name }) => name),
    ...attributes,
    ...through,
    ...(exported.match(/[\p{L}_$][\p{L}\p{N}_$]*(?=\s*(?:,|$))/gu) ?? []),
    ...(member ? [member] : []),
  ];
}

function wordsIn({ now }: FileEdit, { node }: Statement): Set<string> {
  return new Set(now.text.slice(node.start, node.end).match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
}
