/** @file What a program executes before a block of `with` and behind it, where it says so itself. */
import type { OwnContext } from "../../anatomy.ts";
import type { Shape } from "../../parsed-file.ts";

/** Of a class with `__enter__`, or of a function that `contextmanager` makes one of; undefined of anything else. */
export function contextMadeBy(statement: Shape): OwnContext | undefined {
  return typeOf(statement) === "class_definition" ? ofClass(statement) : ofFunction(statement);
}

/** Methods of a class that are called for a block of `with`. */
const CALLED = ["__init__", "__enter__", "__exit__"];

/** Of a class that is made of nothing else, and has no method that Python calls besides. */
function ofClass({ parts }: Shape): OwnContext | undefined {
  const [, name, colon, block] = parts;
  if (!name || !block || colon?.label !== ": :") return undefined;
  const methods = block.parts.filter((part) => typeOf(part) === "function_definition");
  const others = block.parts.filter((part) => !methods.includes(part));
  const names = methods.map((method) => textOf(method.parts[1]));
  const isPlain = methods.every(({ parts: [first] }) => first?.label === "def def");
  const isOther = names.some((one) => one.startsWith("__") && !CALLED.includes(one));
  const exit = methods[names.indexOf("__exit__")];
  if (!isPlain || isOther || !names.includes("__enter__") || !exit || !others.every(isConstant))
    return undefined;
  if (!returnsIn(exit).every(isNothing)) return undefined;
  const bodies = methods
    .filter((_, at) => CALLED.includes(names[at] ?? ""))
    .flatMap((method) => {
      const body = method.parts.at(-1);
      const self = method.parts[2]?.parts.find((part) => typeOf(part) === "identifier");
      return body ? [{ body, self: self && textOf(self) }] : [];
    });
  return { name: textOf(name), bodies };
}

/** Of a function that gives a value once, whatever it does, and lets pass what fails meanwhile. */
function ofFunction({ parts, label }: Shape): OwnContext | undefined {
  const [decorator, definition, ...others] = parts;
  const maker = decorator?.parts[1];
  if (!label.startsWith("decorated_definition") || !maker || others.length > 0) return undefined;
  const [first, name] = definition?.parts ?? [];
  const body = definition?.parts.at(-1);
  if (first?.label !== "def def" || !name || !body) return undefined;
  const all = body.parts.flatMap((part) => [part, ...(isTryFinally(part) ? triedIn(part) : [])]);
  const given = all.filter(isYield);
  const [own, ...more] = yieldsIn(body);
  if (!given[0] || !own || more.length > 0 || returnsIn(body).length > 0) return undefined;
  const made = { maker, as: "contextlib.contextmanager" };
  return { name: textOf(name), made, bodies: [{ body, self: undefined }], given: given[0] };
}

/** `n = 0`, `pass`, a text. */
function isConstant({ label, parts: [only] }: Shape): boolean {
  if (/^(?:pass_statement|expression_statement text)/.test(label)) return true;
  const value = only?.parts[2];
  const isValue = value && /^(?:integer|float|string|none|true|false)$/.test(typeOf(value));
  return typeOf(only) === "assignment" && isValue === true;
}

function isTryFinally(shape: Shape): boolean {
  const clauses = shape.parts.slice(3);
  return (
    typeOf(shape) === "try_statement" && clauses.every(({ label }) => label.startsWith("finally"))
  );
}

function triedIn(shape: Shape): readonly Shape[] {
  return shape.parts[2]?.parts ?? [];
}

function isYield({ parts: [only] }: Shape): boolean {
  return typeOf(only) === "yield" && only?.parts[1]?.label !== "from from";
}

function yieldsIn(shape: Shape): Shape[] {
  const isWhole = typeOf(shape) === "yield" && shape.parts.length > 0;
  return [...(isWhole ? [shape] : []), ...shape.parts.flatMap(yieldsIn)];
}

function returnsIn(shape: Shape): Shape[] {
  const own = typeOf(shape) === "return_statement" ? [shape] : [];
  return [...own, ...shape.parts.flatMap(returnsIn)];
}

function isNothing({ parts: [, value] }: Shape): boolean {
  return !value || /^(?:none|false)$/.test(typeOf(value));
}

function typeOf(shape: Shape | undefined): string {
  return /^\S*/.exec(shape?.label ?? "")?.[0] ?? "";
}

function textOf(shape: Shape | undefined): string {
  return shape?.label.replace(/^\S* /, "") ?? "";
}
