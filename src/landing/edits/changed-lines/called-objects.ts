/**
 * @file Objects that are called: where `model = Net().to(device)` is all that a file says of `model`, calling it is calling
 * a method of the class (`forward`, `__call__`).
 */
import type { Binding, ParsedFile, Statement, Syntax } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import { isInside } from "../../../tree/index.ts";
import { definitionOf } from "./function-names.ts";

/** Methods of modules that give back the module itself. */
const GIVING_ITSELF = /^(?:\s*\.\s*(?:to|cuda|cpu|double|float|half|train|eval)\([^()]*\))*\s*;?$/;

/** The method that is called where a name is; undefined: nobody knows, or it is no object. */
export function methodOfCalled(file: ParsedFile, name: Span): string | undefined {
  const used = file.scopes.references.find(({ node }) => {
    return node.start === name.start && node.end === name.end;
  });
  return classOfObject(file, used?.binding ?? undefined)?.method;
}

/**
 * Where something of a class is mentioned that may call the method: objects of it, but for what is read of them, and the
 * class itself, but where they are made.
 */
export function mentionsOfCalled(file: ParsedFile, method: string): Syntax[] {
  const { scopes, text, uses } = file;
  const classes = new Map<Binding, Statement>();
  const objects = new Set<Binding>();
  const made: Syntax[] = [];
  for (const binding of new Set(scopes.bindingOf.values())) {
    const own = classOfObject(file, binding);
    if (own?.method !== method) continue;
    objects.add(binding);
    classes.set(own.binding, own.statement);
    made.push(own.made);
  }
  const isRead = ({ start, end }: Syntax): boolean =>
    uses.members.some(({ node, name }) => {
      const isOfIt = node.start === start && /^\s*\.\s*\w+$/.test(text.slice(end, node.end));
      return isOfIt && name !== method;
    });
  return scopes.references.flatMap(({ node, binding }) => {
    const own = binding && classes.get(binding);
    if (own)
      return isInside(node, own.node) || made.some((one) => isInside(node, one)) ? [] : [node];
    const isMentioned = binding && objects.has(binding) && !made.some((one) => isInside(node, one));
    return isMentioned && !isRead(node) ? [node] : [];
  });
}

interface CalledClass {
  readonly method: string;
  readonly binding: Binding;
  readonly statement: Statement;
  /** The statement that makes the object. */
  readonly made: Syntax;
}

/** The class of which one object, made by one statement, is all that a name ever means. */
function classOfObject(file: ParsedFile, binding: Binding | undefined): CalledClass | undefined {
  const [given, ...others] = binding?.definitions ?? [];
  if (!binding || !given || others.length > 0) return undefined;
  const statement = file.statements.findLast((one) => isInside(given.node, one.node));
  const value = statement && file.text.slice(given.node.end, statement.node.end);
  const [, name = "", rest = ""] = /^\s*=\s*([\p{L}_]\w*)(\(.*)$/su.exec(value ?? "") ?? [];
  if (!statement || !GIVING_ITSELF.test(rest.slice(closing(rest) + 1))) return undefined;
  const own = bindingOf(file, name);
  const home = own && file.statements.find((one) => isDeclaredIn(own, one));
  if (own?.kind !== "class" || !home) return undefined;
  const found = file.language.calledMethods.find((method) => {
    const defined = definitionOf(file, method);
    return defined !== undefined && isInside(defined.node, home.node);
  });
  return found === undefined
    ? undefined
    : { method: found, binding: own, statement: home, made: statement.node };
}

function isDeclaredIn({ declarations }: Binding, { node }: Statement): boolean {
  return declarations.some((one) => isInside(one, node));
}

/** Where the parenthesis is closed that a text begins with. */
function closing(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")" && --depth === 0) return at;
  }
  return text.length;
}

/** What a name means, if it means one thing in all of the file. */
function bindingOf({ scopes }: ParsedFile, name: string): Binding | undefined {
  const all = new Set([...scopes.bindingOf.values()].filter((one) => one.name === name));
  const [own, ...others] = all;
  return others.length > 0 ? undefined : own;
}
