/**
 * @file A definition that calls the model, brought along into an old run, must not be felt by the
 * training. Where the SDK does not see to that itself, its value is computed by `aside`, which sets
 * generators, training flags and the position in the data back (semantics, "Landing"). So is what is
 * logged by calling a function that came along, be it in a file of its own.
 */
import type { Expression, ImportedName, Syntax } from "../../languages/index.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import type { CarriedDefinition, AdaptedStatement } from "../adapting/adapt-statement.ts";
import type { Wrap } from "./statement-text.ts";

/** How the training is kept from noticing what some statements call. */
export interface Guard {
  /** By the statements and definitions of the newer version. */
  readonly wraps: ReadonlyMap<Syntax, readonly Wrap[]>;
  /** What the old version has to import for it; undefined: nothing. */
  readonly needs: ImportedName | undefined;
}

export function guardCalls(pair: VersionPair, placed: readonly AdaptedStatement[]): Guard {
  const none = { wraps: new Map(), needs: undefined };
  if (pair.language.aside === null) return none;
  const logs = pair.now.source.logs(pair.mode);
  const logging = placed.filter(({ statement, question }) => {
    return !question && logs.holdsLog(statement.node);
  });
  const items = new Set(logging.flatMap((one) => [...one.definitions, one]));
  const guarded = [...items].flatMap((item) => {
    const values = isDefinition(item) ? valueOf(item) : loggedBy(pair, item);
    return values.length === 0 ? [] : [{ node: item.statement.node, values }];
  });
  if (guarded.length === 0) return none;
  const { callee, needs } = asideOf(pair, placed, pair.language.aside);
  const wraps = guarded.map(({ node, values }) => {
    return [node, values.map((value) => guardedValue(value, callee))] as const;
  });
  return { wraps: new Map(wraps), needs };
}

/** Whether a statement calls something that came along where nothing can be put around it. */
export function isUnguarded(pair: VersionPair, item: AdaptedStatement): boolean {
  return (
    callsWhatIsCarried(pair, item) &&
    pair.now.source.logs(pair.mode).callsBeside(item.statement.node)
  );
}

function isDefinition(item: AdaptedStatement): item is CarriedDefinition {
  return "effect" in item;
}

/** The value of a constant that calls the model. */
function valueOf({ effect, statement }: CarriedDefinition): Expression[] {
  return effect === "calls" && statement.value ? [statement.value] : [];
}

/** What a statement logs by calling, if functions that call the model came along with it. */
function loggedBy(pair: VersionPair, item: AdaptedStatement): readonly Expression[] {
  if (!callsWhatIsCarried(pair, item)) return [];
  return pair.now.source.logs(pair.mode).calledValues(item.statement.node);
}

/** Whether it may call what came along, and is not known to be harmless. */
function callsWhatIsCarried(
  { language }: VersionPair,
  { definitions, unchecked }: AdaptedStatement,
): boolean {
  const isCalled = ({ effect, statement }: CarriedDefinition): boolean => {
    // A value is guarded where it is computed.
    return effect === "calls" && (language.aside === null || statement.parameters !== undefined);
  };
  return unchecked.length > 0 || definitions.some(isCalled);
}

function guardedValue({ node, awaits, isBare }: Expression, callee: string): Wrap {
  const before = awaits ? `await ${callee}(async () => ` : `${callee}(() => `;
  return isBare ? { node, before, after: ")" } : { node, before: `${before}(`, after: "))" };
}

const SDK = "afterlog";

/** What `aside` is called where the statements go: as that version imports it, or is to. */
function asideOf(
  pair: VersionPair,
  placed: readonly AdaptedStatement[],
  aside: string,
): { readonly callee: string; readonly needs: ImportedName | undefined } {
  const { source, scopes } = pair.then;
  const isSeen = ({ local }: ImportedName): boolean =>
    placed.every(({ target }) => {
      const found = resolveVisibleName(scopes, local, pair.scopedOffsetOf(target.place));
      return found.kind === "visible" && found.binding?.scope.parent === null;
    });
  const own = source.imports.filter(({ module }) => module === SDK);
  const brought = placed.flatMap(({ imports }) => imports).filter(({ module }) => module === SDK);
  const given = [...own.filter(isSeen), ...brought];
  const whole = given.find(({ isWhole }) => isWhole);
  if (whole) return { callee: `${whole.local}.${aside}`, needs: undefined };
  const same = given.find(({ imported }) => imported === aside);
  if (same) return { callee: same.local, needs: undefined };
  const local = unusedName(pair, aside);
  return { callee: local, needs: { module: SDK, imported: aside, local, isWhole: false } };
}

/** The name, or one like it that means nothing in either version. */
function unusedName(pair: Pick<VersionPair, "now" | "then">, name: string): string {
  const isUsed = [pair.now, pair.then].some(({ scopes }) => {
    const isDeclared = [...scopes.bindingOf.values()].some((binding) => binding.name === name);
    return isDeclared || scopes.references.some((reference) => reference.name === name);
  });
  return isUsed ? unusedName(pair, `${name}_`) : name;
}
