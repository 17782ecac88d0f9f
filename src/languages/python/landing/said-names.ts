/**
 * @file `f"{loss=}"` says the name of what it shows, and by that name it is logged. Where the variable
 * is called otherwise, the statement says the name that it has where it was written: `f"loss={l!r}"`.
 */
import type { Edit, Syntax } from "../../landing/grammar.ts";
import type { PyNode } from "./syntax.ts";
import { named } from "./syntax.ts";

/** What has to change in a statement so that it still says the names of what is renamed. */
export function keepSaid(text: string, node: Syntax, renamed: readonly Syntax[]): Edit[] {
  return editsIn(text, node as PyNode, renamed, "");
}

function editsIn(
  text: string,
  node: PyNode,
  renamed: readonly Syntax[],
  /** The mark at both ends of the string around. */
  quote: string,
): Edit[] {
  const start = node.type === "string" ? node.children[0] : undefined;
  const around = start ? text.slice(start.start, start.end).slice(-1) : quote;
  const inner = named(node).flatMap((child) => editsIn(text, child, renamed, around));
  const isSaid = renamed.some((use) => node.start <= use.start && use.end <= node.end);
  return node.type === "interpolation" && isSaid
    ? [...spelledOut(text, node, quote), ...inner]
    : inner;
}

/** `{loss = }` is `loss = {loss!r}`. What cannot stand in the string's own text is left. */
function spelledOut(text: string, { start, children }: PyNode, quote: string): Edit[] {
  const sign = children.find(({ isNamed, type }) => !isNamed && type === "=");
  if (!sign) return [];
  const end = sign.end + (/^\s*/.exec(text.slice(sign.end))?.[0].length ?? 0);
  const said = text.slice(start + 1, end);
  if (said.includes(quote) || /[\\\r\n]/.test(said)) return [];
  const isShaped = children.some(({ type }) => /^(?:type_conversion|format_specifier)$/.test(type));
  return [
    { start, end: start, text: said.replaceAll(/[{}]/g, "$&$&") },
    { start: sign.start, end, text: isShaped ? "" : "!r" },
  ];
}
