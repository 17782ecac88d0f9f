/**
 * @file What a method calls `self.model` or `this.model`, where the older version has no object for it: a script or a
 * function, from which a class was made since. It is the variable there that stands in the same lines.
 */
import type { Place } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Reference, Scope, Statement, Syntax } from "../../languages/index.ts";
import type { FreeName } from "./paired-names.ts";
import type { Side } from "./version-tree.ts";
import { enclosingStatement } from "./version-tree.ts";
import type { VersionPair } from "./version-pair.ts";
import type { ScopedOffset } from "./visible-name.ts";
import { resolveVisibleName } from "./visible-name.ts";

/** An attribute of the receiver as a name, and the variable that the older version has for it. */
export interface ReceiverName {
  readonly free: FreeName;
  readonly to: string;
  /** Nothing but the word shows that it means the same. */
  readonly isDoubtful: boolean;
}

/** Attributes as names: their words have a dot. */
export function isAttribute({ name }: FreeName): boolean {
  return name.includes(".");
}

/** Attributes of a receiver that a place does not have, if variables there stand for all of them. */
export function receiverNames(
  pair: VersionPair,
  statement: Statement,
  free: readonly FreeName[],
  place: Pick<Place, "block" | "index">,
): { readonly word: string; readonly names: readonly ReceiverName[] } | undefined {
  const at = pair.scopedOffsetOf(place);
  const receiver = free.find(isReceiver);
  if (!receiver && !statement.needs.hasThis) return undefined;
  const isThere = receiver
    ? resolveVisibleName(pair.then.scopes, receiver.name, at).kind === "visible"
    : pair.then.source.surroundingsAt(at).hasThis;
  if (isThere) return undefined;
  const attributes = receiverAttributes(pair.now, statement, receiver);
  const names = attributes?.map((one) => variableFor(pair, one, at));
  if (!names || names.includes(undefined)) return undefined;
  const word = receiver?.name ?? "this";
  return { word, names: names.filter((one) => one !== undefined) };
}

/** Names of a statement, with attributes that are written otherwise in the place of their receiver. */
export function withAttributes(
  all: readonly FreeName[],
  renaming: ReadonlyMap<Reference, string>,
): FreeName[] {
  const replaced = [...renaming.keys()].filter(({ name }) => name.includes("."));
  const attributes = [...new Set(replaced.map(({ name }) => name))].map((name): FreeName => {
    const uses = replaced.filter((one) => one.name === name);
    return { name, binding: uses[0]?.binding ?? null, uses };
  });
  const receivers = new Set(attributes.map(({ name }) => name.split(".")[0]));
  return [...all.filter(({ name }) => !receivers.has(name)), ...attributes];
}

/** The names of a statement that are attributes of its receiver; undefined: it uses that as a whole, or sets one. */
function receiverAttributes(
  { source, scopes }: Side,
  { node }: Statement,
  receiver: FreeName | undefined,
): FreeName[] | undefined {
  const word = receiver?.name ?? "this";
  const inside = source.uses.members.filter((one) => isInside(one.node, node));
  const own = inside.filter(({ path, name }) => path === `${word}.${name}`);
  const starts = new Set(own.map((one) => one.node.start));
  const isWhole = receiver
    ? receiver.uses.some((use) => !starts.has(use.node.start))
    : [...source.text.slice(node.start, node.end).matchAll(/\bthis\b/g)].length !== own.length;
  const scope = receiver?.uses[0]?.scope ?? scopes.root;
  // What a question sets is its own.
  const isSet = source.uses.writes.some(({ target }) => {
    return isInside(target, node) && starts.has(target.start);
  });
  if (isWhole || isSet || own.length === 0) return undefined;
  const found = new Map<string, Reference[]>();
  for (const { node: part, path = "" } of own) {
    const uses = found.get(path) ?? [];
    uses.push(useOf(part, path, { scope, binding: receiver?.binding ?? null }));
    found.set(path, uses);
  }
  return [...found].map(([name, uses]) => ({ name, binding: receiver?.binding ?? null, uses }));
}

function useOf(
  node: Syntax,
  name: string,
  { scope, binding }: { readonly scope: Scope; readonly binding: Reference["binding"] },
): Reference {
  return { node, name, scope, binding, isWrite: false, isRead: true, isShorthand: false };
}

/** Whether a name is what everybody calls the object of a method in Python. */
function isReceiver({ name, binding }: FreeName): boolean {
  return binding?.kind === "parameter" && /^(?:self|cls)$/.test(name);
}

/** The variable that stands for an attribute at a place of the older version. */
function variableFor(
  pair: VersionPair,
  free: FreeName,
  scopedOffset: ScopedOffset,
): ReceiverName | undefined {
  const [, word = ""] = free.name.split(".");
  const isThere = (name: string): boolean => {
    const found = resolveVisibleName(pair.then.scopes, name, scopedOffset);
    return found.kind === "visible" && found.binding !== null;
  };
  const votes = variablesInItsPlace(pair, free).filter(isThere);
  const named = new Set(votes);
  const [first] = votes;
  if (named.has(word)) return { free, to: word, isDoubtful: false };
  if (first !== undefined && named.size === 1) {
    return { free, to: first, isDoubtful: votes.length < 2 };
  }
  return isThere(word) ? { free, to: word, isDoubtful: true } : undefined;
}

/** Of the lines that use an attribute: the variables which stand in its place in the same lines of the older version. */
function variablesInItsPlace(
  { now, then, mapping }: VersionPair,
  { name, uses }: FreeName,
): string[] {
  const asked = new Set(uses.map(({ node }) => node.start));
  const users = now.source.uses.members.filter((one) => {
    return one.path === name && !asked.has(one.node.start);
  });
  const lines = new Set(
    users.flatMap(({ node }) => {
      const own = now.tree.nodeOf.get(node);
      return own ? [enclosingStatement(own)] : [];
    }),
  );
  return [...lines].flatMap((line) => {
    const other = mapping.partnerOf(line);
    if (!other) return [];
    const [ours, theirs] = [headText(now, line), headText(then, other)];
    const found = patternOf(ours, name).exec(theirs);
    return found ? found.slice(1, 2) : [];
  });
}

/** A statement without its blocks, and without spaces between words. */
function headText({ source }: Side, statement: ReturnType<typeof enclosingStatement>): string {
  const block = statement.children.find(({ role }) => role === "block");
  const text = source.text.slice(statement.start, block?.start ?? statement.end);
  return text.replaceAll(/\s+/g, " ").replace(/;? ?$/, "");
}

/** A line with any variable in the place of an attribute, the same one each time, and of other attributes of the receiver. */
function patternOf(line: string, attribute: string): RegExp {
  const [receiver = ""] = attribute.split(".");
  let isFirst = true;
  const parts = line.split(new RegExp(`(\\b${receiver}\\.\\w+)`)).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    if (part !== attribute) return String.raw`[A-Za-z_$][\w$.]*`;
    const again = isFirst ? String.raw`([A-Za-z_$][\w$]*)` : String.raw`\1`;
    isFirst = false;
    return again;
  });
  return new RegExp(`^${parts.join("")}$`);
}
