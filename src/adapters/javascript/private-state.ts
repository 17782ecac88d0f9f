/**
 * @file Whether instances of a class hold state that nobody outside can read.
 *
 * JavaScript has no way to ask, so the text of the class is read: a `#field` declared directly in
 * its body, or the helpers that compilers put in its place. Private methods and static fields
 * hold nothing of the instance. Where the text is unclear the answer is yes: an error that names
 * the class is better than a checkpoint that lacks something.
 */

/** Says of each constructor whether it declares private fields, remembering the answers. */
export type PrivateStateCheck = (constructor: object) => boolean;

/** A check with its own memory, for one walk. */
export function privateStateCheck(): PrivateStateCheck {
  const known = new Map<object, boolean>();
  return (constructor) => {
    let answer = known.get(constructor);
    if (answer === undefined) {
      answer = declaresPrivateState(Function.prototype.toString.call(constructor));
      known.set(constructor, answer);
    }
    return answer;
  };
}

/** Comments, strings and templates without substitutions: what may hold a `#` and mean nothing. */
const QUIET =
  /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\$])*`/g;

/** What TypeScript and Babel emit for private fields when the target is older than ES2022. */
const COMPILED =
  /__?classPrivateField(?:Get|Set|InitSpec|LooseKey|LooseBase)|__private(?:Get|Add)\b/;

/** Whether the text of a class declares an instance field `#x`. Exported for its tests. */
export function declaresPrivateState(source: string): boolean {
  if (COMPILED.test(source)) return true;
  if (!source.includes("#") || !source.startsWith("class")) return false;
  const text = source.replaceAll(QUIET, (match) => (match.startsWith("/") ? " " : '""'));
  const body = text.indexOf("{", headerEnd(text));
  const stateless = new Set<string>();
  let depth = 0;
  for (let at = body; at < text.length; at++) {
    const character = text.charAt(at);
    if ("{([".includes(character)) depth++;
    else if ("})]".includes(character)) depth--;
    else if (character === "#" && depth === 1) {
      const member = memberKind(text, at);
      if (member === "field") return true;
      if (member === "stateless") stateless.add(nameAt(text, at));
    }
  }
  // A quote or brace in a regular expression may have hidden a declaration: then its uses tell.
  return [...source.matchAll(/\.\s*#([\w$\u00a1-\uffff]+)/g)].some(
    ([, name = ""]) => !stateless.has(name),
  );
}

function nameAt(text: string, at: number): string {
  return /^[\w$\u00a1-\uffff]+/.exec(text.slice(at + 1))?.[0] ?? "";
}

/** Where the heritage clause ends, roughly: `class A extends mixin({…}) {` has braces in it. */
function headerEnd(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "{" && depth === 0) return at;
  }
  return 0;
}

/** What the `#` at `at`, directly in a class body, declares: a method and a static hold nothing. */
function memberKind(text: string, at: number): "field" | "stateless" | "use" {
  const before = text.slice(0, at).trimEnd();
  const after = text.slice(at + 1 + nameAt(text, at).length).trimStart();
  if (/\b(?:static|get|set|async)$/.test(before) || /[;{}]\s*\*$/.test(before)) return "stateless";
  // In an initializer: `x = this.#y` and `#y in object` use a name that is declared elsewhere.
  if (/[.=?:&|+\-*/%<>!~,^]$/.test(before)) return "use";
  return after.startsWith("(") ? "stateless" : "field";
}
