/** @file What functions are called, and what they give back. */
import type { ParsedFile, Shape, Statement, Syntax } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import { isInside } from "../../../tree/index.ts";

/** The name of the function or method that a statement stands in; undefined: in none, or in a nameless one. */
export function functionAround(file: ParsedFile, { node, parent }: Statement): string | undefined {
  const within = ({ node: around }: Statement): number => functionsBetween(file, node, around);
  if (parent?.parameters !== undefined)
    return within(parent) === 1 ? nameOf(file, parent) : undefined;
  if (parent && !isClass(file, parent))
    return within(parent) === 0 ? functionAround(file, parent) : undefined;
  const methods = file.members.flatMap((list) => list.statements);
  const own = methods.findLast((one) => one.parameters !== undefined && isInside(node, one.node));
  return own && within(own) === 1 ? own.member : undefined;
}

/** Number of functions that are in one part of a text and around another, callbacks too. */
function functionsBetween({ scopes }: ParsedFile, inner: Span, outer: Span): number {
  const all = [...scopes.scopeOf.values()].filter(({ kind }) => kind === "function");
  return all.filter(({ node }) => isInside(inner, node) && isInside(node, outer)).length;
}

/** Whether a statement stands in a function or method, and in no other statement of it. */
export function isOfBody(file: ParsedFile, { node, parent }: Statement): boolean {
  if (parent?.parameters !== undefined) return true;
  if (parent && !isClass(file, parent)) return false;
  const methods = file.members.flatMap((list) => list.statements);
  const own = methods.findLast((one) => one.parameters !== undefined && isInside(node, one.node));
  const lists = file.lists.filter(({ owner }) => {
    return own !== undefined && isInside(owner, own.node) && isInside(node, owner);
  });
  return lists.length === 1;
}

function isClass({ members }: ParsedFile, { node }: Statement): boolean {
  return members.some(({ owner }) => isInside(owner, node));
}

/** The name of the function or method that a statement defines. */
export function nameOf({ scopes }: ParsedFile, { node, member }: Statement): string | undefined {
  if (member !== undefined) return member;
  const declared = [...scopes.bindingOf].filter(([at, { kind }]) => {
    return node.start <= at.start && at.end <= node.end && kind !== "parameter";
  });
  return declared.toSorted(([a], [b]) => a.start - b.start)[0]?.[1].name;
}

/** The functions and methods of a file that have a name. */
export function definitionsOf(file: ParsedFile, name: string): Statement[] {
  const inClasses = file.members.flatMap((list) => list.statements);
  const all = [...file.statements, ...inClasses];
  return all.filter((one) => one.parameters !== undefined && nameOf(file, one) === name);
}

/** The one function or method of a name; undefined: there is none, or there are several. */
export function definitionOf(file: ParsedFile, name: string): Statement | undefined {
  const [own, ...others] = definitionsOf(file, name);
  return others.length > 0 ? undefined : own;
}

/** Whether only the newer version has a name, and gives it one value. */
export function isOnlyNow(then: ParsedFile, now: ParsedFile, name: string): boolean {
  const known = [...then.scopes.references, ...then.scopes.bindingOf.values()];
  const [own, ...others] = new Set(
    [...now.scopes.bindingOf.values()].filter((one) => one.name === name),
  );
  return (
    own !== undefined &&
    others.length === 0 &&
    own.definitions.length <= 1 &&
    !known.some((one) => one.name === name)
  );
}

/** Whether a file means a function of its own by a name, and nothing in it can be another file's of that name. */
export function hasItsOwn({ scopes, uses, text }: ParsedFile, name: string): boolean {
  const [own, ...others] = new Set(
    [...scopes.bindingOf.values()].filter((one) => one.name === name),
  );
  const isOne =
    own?.kind === "function" && own.scope.parent === null && own.declarations.length === 1;
  return (
    isOne &&
    others.length === 0 &&
    scopes.references.every((one) => one.name !== name || one.binding === own) &&
    !uses.members.some((one) => one.name === name) &&
    !/\bimport\s*\*\s*(?:$|#|;)|\bexport\s*\*/m.test(text)
  );
}

/** Where a file mentions a function, by its name or as a part of its module, or a method of that name. */
export function mentionsOf(
  file: ParsedFile,
  name: string,
  isMethod: boolean,
  isApart: (module: string) => boolean = () => false,
): readonly Syntax[] {
  const { scopes, uses, imports } = file;
  const members = uses.members.filter((one) => one.name === name);
  if (isMethod) return members.map(({ node }) => node);
  const whole = imports.filter(({ isWhole, module }) => isWhole && !isApart(module));
  const modules = whole.map(({ local }) => `${local}.${name}`);
  const ofModules = members.filter(({ path }) => path !== undefined && modules.includes(path));
  const named = scopes.references.filter((one) => {
    // It may be another one of a function of the file.
    const isOther = one.binding !== null && one.binding.scope.parent !== null;
    return one.name === name && one.isRead && !isOther && !isExported(file, one.node);
  });
  return [...named, ...ofModules].map(({ node }) => node);
}

/** Whether a name is mentioned so that others can import it by the same name. */
export function isExported({ statements, text }: ParsedFile, node: Syntax): boolean {
  const own = statements.findLast((one) => isInside(node, one.node));
  const [ahead, behind] = [text.slice(own?.node.start, node.start), text.slice(node.end)];
  const name = text.slice(node.start, node.end);
  const isListed = /^export\s*\{/.test(ahead) && /^\s*[,}]/.test(behind) && /[,{]\s*$/.test(ahead);
  const isKey = new RegExp(`[,{]\\s*(?:${name.replaceAll("$", "\\$")}\\s*:\\s*)?$`).test(ahead);
  return isListed || (/^module\.exports\s*=\s*\{/.test(ahead) && isKey && /^\s*[,}]/.test(behind));
}

/** Number of statements of a function that return from it. */
export function returnsIn(file: ParsedFile, { node }: Statement): number {
  return returned(file.shape, node).length;
}

/** Whether a function gives anything back. */
export function givesValues(file: ParsedFile, { node }: Statement): boolean {
  return returned(file.shape, node).some((one) => {
    const anatomy = file.language.anatomyOf(one);
    return anatomy?.kind !== "return" || anatomy.value !== undefined;
  });
}

function returned(shape: Shape, own: Span): Shape[] {
  const isHere = own.start <= shape.start && shape.end <= own.end;
  const isFunction = /^(?:function_definition|lambda|Function|ArrowFunction)/.test(shape.label);
  const isOwn = shape.start === own.start && shape.end === own.end;
  if (isHere && !isOwn && isFunction) return [];
  if (isHere && /^(?:return_statement|ReturnStatement)\b/.test(shape.label)) return [shape];
  return shape.parts.flatMap((part) => returned(part, own));
}
