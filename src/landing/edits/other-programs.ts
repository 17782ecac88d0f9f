/**
 * @file Changes of a statement of the run after which what is asked is a value of another program: it
 * comes from something that the run did not have, or the statement has become a loop.
 */
import type { ParsedFile, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import type { FileEdit } from "./align.ts";
import { isLoop } from "./carried-names.ts";
import { namesSetBy } from "./differences.ts";
import { holdsLost } from "./other-changes.ts";

/** A name that gets its value from what only the newer version has, and on which what is asked depends. */
export interface OtherSource {
  readonly name: string;
  /** What it comes from, and where that is defined. */
  readonly word: string;
  readonly from: Statement;
  /** What is asked stands in that, and no line of the run does. */
  readonly isAround: boolean;
  /** The statement of the run that has it now. */
  readonly changed: Statement;
}

export function otherSource(edit: FileEdit, asked: readonly Statement[]): OtherSource | undefined {
  const { now } = edit;
  const read = new Set(
    asked.flatMap(({ node }) => {
      const uses = now.scopes.references.filter((use) => use.isRead && isInside(use.node, node));
      return uses.map(({ name }) => name);
    }),
  );
  const brought = broughtBy(edit);
  for (const changed of changedStatements(edit)) {
    const names = namesSetBy(now, changed);
    const uses = now.scopes.references.filter((use) => isInside(use.node, changed.node));
    const word = uses.map((use) => use.name).find((own) => brought.has(own));
    const from = word === undefined ? undefined : brought.get(word);
    // What is asked may stand in it, and be executed because of what has changed.
    const inside = asked.filter(({ node }) => from && isInside(node, from.node));
    const name = names.find((own) => read.has(own)) ?? (inside.length > 0 ? names[0] : undefined);
    const isAround =
      from !== undefined && inside.some(({ isLog }) => isLog) && !holdsLost(edit, from);
    if (name !== undefined && word !== undefined && from) {
      return { name, word, from, isAround, changed };
    }
  }
  return undefined;
}

/** A statement of the run in the place of which there is a loop now, around what is asked. */
export function becameLoop(
  { gaps, then, now }: FileEdit,
  asked: readonly number[],
): { readonly then: Statement; readonly now: Statement } | undefined {
  for (const { added, lost, shaped } of gaps) {
    for (const loop of added.filter((one) => isLoop(one) && !shaped.has(one))) {
      const { node } = loop;
      if (!asked.some((offset) => node.start <= offset && offset < node.end)) continue;
      const names = new Set(namesSetBy(now, loop));
      const old = lost.find((one) => {
        return !isLoop(one) && namesSetBy(then, one).some((name) => names.has(name));
      });
      if (old) return { then: old, now: loop };
    }
  }
  return undefined;
}

/** A statement of the run that calls the same, and gives it no function: what is asked stands in one. */
export function givenOther(
  { gaps, then, now }: FileEdit,
  asked: readonly number[],
): { readonly then: Statement; readonly now: Statement; readonly callee: string } | undefined {
  const calleesIn = ({ uses, text }: ParsedFile, { node }: Statement): string[] => {
    const calls = uses.calls.filter((call) => isInside(call.node, node));
    return calls.map(({ callee }) => text.slice(callee.start, callee.end));
  };
  for (const { added, lost, shaped } of gaps) {
    for (const one of added.filter((own) => !own.isLog && !isLoop(own) && !shaped.has(own))) {
      const isAsked = now.uses.calls.filter(({ callee, node }) => {
        return asked.some((at) => callee.end <= at && at < node.end) && isInside(node, one.node);
      });
      const callees = isAsked.map(({ callee }) => now.text.slice(callee.start, callee.end));
      for (const old of lost.filter((own) => !holdsFunction(then, own))) {
        const callee = calleesIn(then, old).find((name) => callees.includes(name));
        if (callee !== undefined) return { then: old, now: one, callee };
      }
    }
  }
  return undefined;
}

function holdsFunction({ scopes }: ParsedFile, { node }: Statement): boolean {
  const inside = [...scopes.scopeOf.values()].filter((scope) => isInside(scope.node, node));
  return inside.some(({ kind }) => kind === "function");
}

/** Statements of the newer version in the place of others that set the same. */
function changedStatements({ gaps, then, now, changed }: FileEdit): Statement[] {
  const replaced = gaps.flatMap(({ added, lost, shaped }) => {
    const old = new Set(lost.flatMap((one) => namesSetBy(then, one)));
    return added.filter((one) => {
      return !shaped.has(one) && namesSetBy(now, one).some((name) => old.has(name));
    });
  });
  return [...replaced, ...changed.map((one) => one.now)];
}

/** Functions, classes and imports that only the newer version has, by their names. */
function broughtBy({ gaps, then, now }: FileEdit): Map<string, Statement> {
  const added = gaps.flatMap((gap) => gap.added);
  const found = [...now.scopes.bindingOf].flatMap(([at, { name, kind }]) => {
    const from = added.find(({ node }) => isInside(at, node));
    const isCode = /^(?:function|class|import)$/.test(kind) || from?.parameters !== undefined;
    return from && isCode && !knows(then, name) ? [[name, from] as const] : [];
  });
  return new Map(found);
}

function knows({ scopes }: ParsedFile, word: string): boolean {
  const names = [...scopes.references, ...scopes.bindingOf.values()];
  return names.some(({ name }) => name === word);
}
