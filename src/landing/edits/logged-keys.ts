/**
 * @file Keys that are put into a mapping which is logged later: each is a question of its own, by its
 * name. It is written as a log call in their place, so that the mapping stays as the run had it.
 */
import type { RunMode } from "../../format/index.ts";
import type { Edit, ParsedFile, Shape, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { shapeOf } from "../pairing/statement-shape.ts";
import type { FileEdit } from "./align.ts";
import { bindingAt, isLoggedByCallers, isLoggedByName } from "./logged-wholes.ts";

/** What a statement puts into a mapping. */
interface Put {
  readonly statement: Statement;
  /** The name of the mapping; undefined: it is given back. */
  readonly into: Shape | undefined;
  readonly entries: readonly Entry[];
  /** What is left of the statement, if anything is. */
  readonly rest: string;
}

interface Entry {
  readonly key: string;
  readonly value: Shape;
}

/**
 * The newer text with log calls for keys that only it has, of those that are wanted; undefined: it has
 * none.
 */
export function keysAsLogs(
  edit: FileEdit,
  mode: RunMode,
  isWanted: (key: string) => boolean,
): string | undefined {
  const { now } = edit;
  const puts = [
    ...edit.gaps.flatMap((gap) => {
      const added = gap.added.filter((one) => !gap.shaped.has(one));
      return added.map((one) => putBy(edit, one) ?? putInto(edit, one, gap.gone));
    }),
    ...edit.changed.map((one) => putInto(edit, one.now, [one.then])),
  ];
  const edits = puts.flatMap((put): Edit[] => {
    const isAsked = put?.entries.some(({ key }) => isWanted(key)) ?? false;
    if (!put || !isAsked || !isLoggedLater(edit, put)) return [];
    return asLogs(now, put, mode) ?? [];
  });
  if (edits.length === 0) return undefined;
  const text = edits
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (all, { start, end, text: own }) => all.slice(0, start) + own + all.slice(end),
      now.text,
    );
  return "problem" in now.language.read(now.file, text) ? undefined : text;
}

/** `m["k"] = v`, `m.k = v`, `m.update(k=v)`. */
function putBy({ now }: FileEdit, statement: Statement): Put | undefined {
  const { anatomyOf } = now.language;
  const shape = shapeOf(now, statement.node);
  const own = shape && anatomyOf(shape);
  if (own?.kind === "assignment") {
    const target = anatomyOf(own.target);
    if (target?.kind !== "item" && target?.kind !== "member") return undefined;
    const key = target.kind === "item" ? target.key : target.name;
    return { statement, into: target.object, entries: [{ key, value: own.value }], rest: "" };
  }
  const call = own?.kind === "evaluation" ? anatomyOf(own.value) : undefined;
  const callee = call?.kind === "call" ? anatomyOf(call.callee) : undefined;
  if (call?.kind !== "call" || callee?.kind !== "member" || callee.name !== "update") {
    return undefined;
  }
  const given = call.given.flatMap((one) => {
    const anatomy = anatomyOf(one);
    return anatomy?.kind === "mapping" ? anatomy.entries : [one];
  });
  const entries = given.flatMap((one) => entryOf(now, one) ?? []);
  if (entries.length < given.length || entries.length === 0) return undefined;
  return { statement, into: callee.object, entries, rest: "" };
}

/** `m = {"a": x, "k": v}` for `m = {"a": x}`. */
function putInto(
  { then, now }: FileEdit,
  statement: Statement,
  gone: readonly Statement[],
): Put | undefined {
  const own = mappingOf(now, statement);
  if (!own) return undefined;
  for (const old of gone) {
    const before = mappingOf(then, old);
    if (!before) continue;
    const [texts, kept] = [partTexts(now, own.entries), partTexts(then, before.entries)];
    const left = [...kept];
    const isNew = texts.map((text) => {
      if (text !== left[0]) return true;
      left.shift();
      return false;
    });
    const more = own.entries.filter((_, at) => isNew[at]);
    const entries = more.flatMap((one) => entryOf(now, one) ?? []);
    const isSame = targetOf(then, before) === targetOf(now, own) && left.length === 0;
    if (!isSame || entries.length < more.length || !more.every((one) => isQuiet(now, one)))
      continue;
    const rest = then.text.slice(old.node.start, old.node.end);
    return { statement, into: own.target, entries, rest };
  }
  return undefined;
}

function mappingOf(source: ParsedFile, statement: Statement): Mapping | undefined {
  const { anatomyOf } = source.language;
  const shape = shapeOf(source, statement.node);
  const own = shape && anatomyOf(shape);
  if (own?.kind !== "assignment" && own?.kind !== "return") return undefined;
  const value = own.value && anatomyOf(own.value);
  if (value?.kind !== "mapping") return undefined;
  const target = own.kind === "assignment" ? own.target : undefined;
  return { target, entries: value.entries };
}

/** A statement that gives it a name, or gives it back. */
interface Mapping {
  readonly target: Shape | undefined;
  readonly entries: readonly Shape[];
}

function targetOf(source: ParsedFile, { target }: Mapping): string | undefined {
  return target && textOf(source, target);
}

function entryOf({ language }: ParsedFile, shape: Shape): Entry | undefined {
  const anatomy = language.anatomyOf(shape);
  return anatomy?.kind === "named" ? { key: anatomy.name, value: anatomy.value } : undefined;
}

/** Whether evaluating something calls nothing that is not known to be harmless. */
function isQuiet({ uses }: ParsedFile, part: Span): boolean {
  const calls = uses.calls.filter(({ node }) => isInside(node, part));
  return calls.every(({ byName }) => byName === "none");
}

/** Whether the run logs the mapping as a whole, and nothing else of the newer version looks at the keys. */
function isLoggedLater(edit: FileEdit, { statement, into, entries }: Put): boolean {
  const { now } = edit;
  const binding = into && bindingAt(now, into);
  const isLogged = into
    ? binding !== undefined && isLoggedByName(edit, binding, statement)
    : isLoggedByCallers(edit, statement);
  const { start, end } = statement.node;
  const others = now.text.slice(0, start) + now.text.slice(end);
  const isRead = ({ key }: Entry): boolean => {
    const own = binding ? [String.raw`\b${escaped(binding.name)}\.${escaped(key)}\b`] : [];
    return new RegExp([String.raw`(["'\`])${escaped(key)}\1`, ...own].join("|")).test(others);
  };
  return isLogged && !entries.some(isRead);
}

function escaped(word: string): string {
  return word.replaceAll(/[^\p{L}\p{N}_]/gu, String.raw`\$&`);
}

function asLogs(
  now: ParsedFile,
  { statement, into, entries, rest }: Put,
  mode: RunMode,
): Edit[] | undefined {
  const { start, end } = statement.node;
  const logs = entries.flatMap(({ key, value }) => {
    return now.language.logOfKey(now, key, textOf(now, value), mode) ?? [];
  });
  const own = rest === "" ? [] : [rest];
  // Nothing is executed behind what gives it back.
  const parts = into ? [...own, ...logs] : [...logs, ...own];
  const text = parts.map((part, at) => {
    const isEnded = at === parts.length - 1 || part.endsWith(";");
    return isEnded ? part : `${part};`;
  });
  return logs.length < entries.length ? undefined : [{ start, end, text: text.join(" ") }];
}

function partTexts(source: ParsedFile, parts: readonly Shape[]): string[] {
  return parts.map((part) => textOf(source, part));
}

function textOf({ text }: ParsedFile, { start, end }: Span): string {
  return text.slice(start, end);
}
