/**
 * @file `f"{loss=}"` says the name of what it shows, and by that name it is logged. Where the variable
 * is called otherwise, the statement says the name that it has where it was written: `f"loss={l!r}"`.
 */
import type { Edit, SelfDocumentingText } from "../../parsed-file.ts";
import type { PyNode } from "./syntax.ts";
import { namedChildren } from "./syntax.ts";

/** What shows a value with its name, and how the name is spelled out. */
export function selfDocumentingTexts(
  text: string,
  node: PyNode,
  /** The mark at both ends of the string around. */
  quote = "",
): SelfDocumentingText[] {
  const first = node.type === "string" ? node.children[0] : undefined;
  const around = first ? text.slice(first.start, first.end).slice(-1) : quote;
  const inner = namedChildren(node).flatMap((child) => selfDocumentingTexts(text, child, around));
  const edits = node.type === "interpolation" ? spelledOut(text, node, quote) : [];
  const { start, end } = node;
  return edits.length > 0 ? [{ start, end, edits }, ...inner] : inner;
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
