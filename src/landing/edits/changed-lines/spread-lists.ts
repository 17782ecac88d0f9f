/**
 * @file Whether what is spread (`Math.max(...xs)`) is an array for certain: one that is written out or made by what
 * the language has for that, under a name that is given nothing else, or the parameter of a function that every call
 * in the file gives one. To go through anything else may use it up, or execute code of the program.
 */
import type { Anatomy, Binding, ParsedFile, Shape, Syntax } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import type { Versions } from "./shapes.ts";

type Called = Extract<Anatomy, { kind: "call" }>;

/** How many names and calls lead to the array. */
const STEPS_MAX = 6;
/** Functions of the language that make an array, */
const MAKERS = /^(?:Array\.(?:from|of)|Object\.(?:keys|values|entries))$/;
/** its classes, */
const CLASSES = /^new\s+(?:Array|(?:Uint8Clamped|(?:Big)?(?:Int|Uint|Float)\d+)Array)\b/;
/** and methods of arrays that do. */
const METHODS = /^(?:concat|filter|flat|flatMap|map|reverse|slice|sort|toReversed|toSorted|with)$/;

/** In the newer version, and whatever has that name in the older one. */
export function isListInBoth({ now, then }: Pick<Versions, "now" | "then">, shape: Shape): boolean {
  if (!new Lists(now).isList(shape, STEPS_MAX)) return false;
  const anatomy = now.language.anatomyOf(shape);
  if (anatomy?.kind !== "name") return true;
  const older = [...then.scopes.bindingOf.values()].filter(({ name }) => name === anatomy.name);
  const lists = new Lists(then);
  return older.every((binding) => lists.isListBinding(binding, STEPS_MAX));
}

class Lists {
  readonly #file: ParsedFile;

  constructor(file: ParsedFile) {
    this.#file = file;
  }

  isList(shape: Shape, steps: number): boolean {
    const { text, language } = this.#file;
    const anatomy = language.anatomyOf(shape);
    if (steps === 0) return false;
    if (CLASSES.test(text.slice(shape.start, shape.end))) return this.#isGlobalIn(shape);
    if (anatomy?.kind === "call") return this.#isMade(anatomy, steps - 1);
    if (anatomy?.kind !== "name") return anatomy?.kind === "sequence";
    const own = this.#file.scopes.references.find(({ node }) => isAt(node, shape))?.binding;
    return own != null && this.isListBinding(own, steps - 1);
  }

  isListBinding(binding: Binding, steps: number): boolean {
    const { scopes } = this.#file;
    if (steps === 0) return false;
    if (binding.kind === "parameter") return this.#isListParameter(binding, steps);
    const isWritten = scopes.references.some((one) => one.isWrite && one.binding === binding);
    const [own, ...others] = binding.declarations;
    if (!own || others.length > 0 || isWritten || !/^(?:const|let|var)$/.test(binding.kind))
      return false;
    const [value] = this.#all((anatomy) =>
      anatomy.kind === "assignment" && isAt(anatomy.target, own) ? anatomy.value : undefined,
    );
    return value !== undefined && this.isList(value, steps);
  }

  #isMade({ callee }: Called, steps: number): boolean {
    const { text, language } = this.#file;
    if (MAKERS.test(text.slice(callee.start, callee.end))) return this.#isGlobalIn(callee);
    const method = language.anatomyOf(callee);
    return (
      method?.kind === "member" && METHODS.test(method.name) && this.isList(method.object, steps)
    );
  }

  /** Whether the first name in a part is none of the file's own. */
  #isGlobalIn(part: Span): boolean {
    const [first] = this.#file.scopes.references
      .filter(({ node }) => part.start <= node.start && node.end <= part.end)
      .toSorted((a, b) => a.node.start - b.node.start);
    return first?.binding === null;
  }

  /** Every use of the function is a call in this file that gives an array there. */
  #isListParameter(binding: Binding, steps: number): boolean {
    const { scopes, uses } = this.#file;
    const [own] = binding.declarations;
    const isWritten = scopes.references.some((one) => one.isWrite && one.binding === binding);
    const [made] = this.#all((anatomy) => {
      if (anatomy.kind !== "function" || !own) return undefined;
      const at = anatomy.parameters.findIndex((one) => isAt(one, own));
      return at < 0 ? undefined : { name: anatomy.name, body: anatomy.body, at };
    });
    if (!made || isWritten || this.#file.gives(made.name)) return false;
    const around = [...scopes.bindingOf.values()].filter(({ name }) => name === made.name);
    const [itself, ...others] = new Set(around);
    if (!itself || others.length > 0) return false;
    const used = scopes.references.filter((one) => one.binding === itself && one.isRead);
    return (
      used.length > 0 &&
      used.every(({ node }) => {
        const call = uses.calls.find(({ callee }) => isAt(callee, node));
        const given = call && this.#given(call.node, made.at);
        return given !== undefined && this.isList(given, steps);
      })
    );
  }

  #given(node: Syntax, at: number): Shape | undefined {
    const { language } = this.#file;
    const [given] = this.#all((anatomy, shape) =>
      anatomy.kind === "call" && isAt(shape, node) ? anatomy.given : undefined,
    );
    const before = given?.slice(0, at + 1) ?? [];
    return before.some((one) => language.spreadBy(one)) ? undefined : given?.[at];
  }

  /** What is found in the parts of the file. */
  *#all<Found>(find: (anatomy: Anatomy, shape: Shape) => Found | undefined): Generator<Found> {
    const waiting = [this.#file.shape];
    for (let shape = waiting.pop(); shape; shape = waiting.pop()) {
      const anatomy = this.#file.language.anatomyOf(shape);
      const found = anatomy && find(anatomy, shape);
      if (found !== undefined) yield found;
      waiting.push(...shape.parts);
    }
  }
}

function isAt(one: Span, other: Span): boolean {
  return one.start === other.start && one.end === other.end;
}
