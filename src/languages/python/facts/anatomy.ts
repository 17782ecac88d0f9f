/** @file What expressions and statements of Python consist of. */
import type { Anatomy, Iterating, Wrapper } from "../../anatomy.ts";
import type { Shape } from "../../parsed-file.ts";

/** Of a part of a text; undefined: of something that may evaluate its parts not at all, or often. */
export function anatomyOf(shape: Shape): Anatomy | undefined {
  return statementAnatomy(shape) ?? expressionAnatomy(shape);
}

function statementAnatomy(shape: Shape): Anatomy | undefined {
  const { parts } = shape;
  const [first, second, third, fourth] = parts;
  switch (typeOf(shape)) {
    case "for_statement":
      if (!second || !fourth || first?.label !== "for for") return undefined;
      return { kind: "loop", target: second, over: fourth };
    case "if_statement":
      if (!second) return undefined;
      return { kind: "branch", condition: second, others: parts.slice(2) };
    case "function_definition": {
      const body = parts.find((part) => typeOf(part) === "block");
      if (first?.label !== "def def" || !second || !third || !body || yields(body))
        return undefined;
      const parameters = third.parts.filter((part) => !isMark(part));
      return { kind: "function", name: textOf(second), parameters, body };
    }
    case "return_statement":
      return { kind: "return", value: second };
    case "expression_statement":
      return parts.length === 1 && first ? evaluated(first) : sequence(shape);
    case "assignment":
      if (!first || !third || second?.label !== "= =") return undefined;
      return { kind: "assignment", target: first, value: third };
    default:
      return undefined;
  }
}

function expressionAnatomy(shape: Shape): Anatomy | undefined {
  const { parts } = shape;
  const [first, second, third] = parts;
  switch (typeOf(shape)) {
    case "call":
      if (!first || !second) return undefined;
      return { kind: "call", callee: first, given: givenBy(second) };
    case "attribute":
      return first && third ? { kind: "member", object: first, name: textOf(third) } : undefined;
    case "identifier":
      return { kind: "name", name: textOf(shape) };
    case "parenthesized_expression":
      return second && anatomyOf(second);
    case "pattern_list":
    case "tuple_pattern":
    case "list_pattern":
    case "expression_list":
    case "tuple":
    case "list":
      return sequence(shape);
    case "dictionary":
      return { kind: "mapping", entries: parts.filter((part) => !isMark(part)) };
    case "pair": {
      const key = first && textIn(first);
      if (key === undefined || !third) return { kind: "plain" };
      return { kind: "named", name: key, value: third };
    }
    case "subscript": {
      if (!first || !third || parts.length !== 4) return { kind: "plain" };
      const key = textIn(third);
      if (key !== undefined) return { kind: "item", object: first, key };
      const isNumber = typeOf(third) === "integer";
      return isNumber ? { kind: "place", object: first, place: textOf(third) } : { kind: "plain" };
    }
    case "default_parameter":
    case "keyword_argument":
      return first && third ? { kind: "named", name: textOf(first), value: third } : undefined;
    case "integer":
    case "float":
    case "true":
    case "false":
    case "none":
      return { kind: "literal" };
    case "string":
      return parts.some(isPutIn) ? { kind: "text", pieces: piecesOf(parts) } : { kind: "literal" };
    case "comparison_operator":
      // A chain ends with the first comparison that does not hold.
      return parts.length === 3 ? { kind: "plain" } : undefined;
    case "argument_list":
    case "augmented_assignment":
    case "await":
    case "binary_operator":
    case "format_specifier":
    case "interpolation":
    case "not_operator":
    case "unary_operator":
      return { kind: "plain" };
    default:
      return undefined;
  }
}

/** `enumerate(x)`, `zip(count(), x)`, `tqdm(x)`; undefined of anything else. */
export function iteratedBy(over: Shape): Iterating | undefined {
  const call = anatomyOf(over);
  if (call?.kind !== "call") return undefined;
  const { callee, given } = call;
  const [first, second, ...others] = given;
  if (!first) return undefined;
  switch (calledName(callee) ?? "") {
    case "enumerate":
      if (others.length > 0 || (second && !isWrittenOut(second))) return undefined;
      return { inner: first, isNumbered: true, callees: [callee] };
    case "zip": {
      const counter = anatomyOf(first);
      if (!second || others.length > 0 || counter?.kind !== "call") return undefined;
      if (calledName(counter.callee) !== "count" || !counter.given.every(isWrittenOut))
        return undefined;
      return { inner: second, isNumbered: true, callees: [callee, counter.callee] };
    }
    case "tqdm":
      if (![second, ...others].every((one) => !one || isOption(one))) return undefined;
      return { inner: first, isNumbered: false, callees: [callee] };
    default:
      return undefined;
  }
}

/** `with a as b:`, `try:` and `if __name__ == "__main__":`; undefined of anything else. */
export function wrapperOf(statement: Shape): Wrapper | undefined {
  const { parts } = statement;
  const block = parts.find((part) => typeOf(part) === "block");
  const [first, second] = parts;
  if (!block || !first || !second) return undefined;
  if (first.label === "with with") {
    const items = second.parts.filter((part) => typeOf(part) === "with_item");
    const contexts = items.map((item) => {
      const [given = item] = item.parts;
      return typeOf(given) === "as_pattern" ? (given.parts[0] ?? given) : given;
    });
    return { block, contexts, clauses: [], passesOn: true };
  }
  const isMain = first.label === "if if" && isOfMain(second) && parts.at(-1) === block;
  if (isMain) return { block, contexts: [], clauses: [], passesOn: true };
  if (first.label !== "try try") return undefined;
  const clauses = parts.slice(parts.indexOf(block) + 1);
  const handlers = clauses.filter(({ label }) => label.startsWith("except"));
  return { block, contexts: [], clauses, passesOn: handlers.every(endsWithRaise) };
}

/** `__name__ == "__main__"`, which holds in the program that is started. */
function isOfMain({ label, parts }: Shape): boolean {
  const words = parts.map((part) => [part, ...part.parts].map(textOf).join(""));
  return label.startsWith("comparison_operator") && MAIN.test(words.join(" "));
}

const MAIN = /^__name__ == (["'])__main__\1$/;

/** Whether a clause ends with `raise`. */
function endsWithRaise({ parts }: Shape): boolean {
  const last = parts.at(-1)?.parts.at(-1);
  return last !== undefined && typeOf(last) === "raise_statement" && last.parts.length === 1;
}

/** The attribute of what `parse_args` gives that a statement adds; undefined of anything else. */
export function optionOf(statement: Shape): string | undefined {
  const evaluation = anatomyOf(statement);
  const call = evaluation?.kind === "evaluation" ? anatomyOf(evaluation.value) : undefined;
  if (call?.kind !== "call" || calledName(call.callee) !== "add_argument") return undefined;
  const texts = call.given.flatMap((one) => {
    const anatomy = anatomyOf(one);
    const value = anatomy?.kind === "named" && anatomy.name === "dest" ? anatomy.value : one;
    const words = value.parts.map(textOf);
    return anatomyOf(value)?.kind === "literal" && words.length === 3 ? [words[1] ?? ""] : [];
  });
  const name =
    texts.find((text) => /^[a-z_]/i.test(text)) ?? texts.find((text) => text.startsWith("--"));
  return name?.replace(/^-+/, "").replaceAll("-", "_");
}

function calledName(callee: Shape): string | undefined {
  const anatomy = anatomyOf(callee);
  return anatomy?.kind === "name" || anatomy?.kind === "member" ? anatomy.name : undefined;
}

function isWrittenOut(shape: Shape): boolean {
  const anatomy = anatomyOf(shape);
  return anatomy?.kind === "named" ? isWrittenOut(anatomy.value) : anatomy?.kind === "literal";
}

/** Something given by name, in which nothing is called. */
function isOption(shape: Shape): boolean {
  const holdsCall = ({ label, parts }: Shape): boolean =>
    /^(?:call|await|yield|named_expression) /.test(label) || parts.some(holdsCall);
  return anatomyOf(shape)?.kind === "named" && !holdsCall(shape);
}

function evaluated(value: Shape): Anatomy | undefined {
  const isAssigned = /^(?:augmented_)?assignment /.test(value.label);
  return isAssigned ? anatomyOf(value) : { kind: "evaluation", value };
}

function yields({ label, parts }: Shape): boolean {
  if (/^(?:function_definition|lambda) /.test(label)) return false;
  return label.startsWith("yield ") || parts.some(yields);
}

/** The text of a literal; undefined of anything else. */
function textIn({ label, parts }: Shape): string | undefined {
  const [, text] = parts;
  const isText = label.startsWith("string ") && parts.length === 3;
  return isText && text?.label.startsWith("string_content ") ? textOf(text) : undefined;
}

function isPutIn(part: Shape): boolean {
  return typeOf(part) === "interpolation";
}

function piecesOf(parts: readonly Shape[]): (string | Shape)[] {
  const inner = parts.filter((part) => !/^string_(?:start|end) /.test(part.label));
  return inner.map((part) => (isPutIn(part) ? part : textOf(part)));
}

function sequence({ parts }: Shape): Anatomy {
  return { kind: "sequence", items: parts.filter((part) => !isMark(part)) };
}

function givenBy(list: Shape): readonly Shape[] {
  return typeOf(list) === "argument_list" ? list.parts.filter((part) => !isMark(part)) : [list];
}

/** `(`, `,` and the like. */
function isMark({ label }: Shape): boolean {
  return /^(\W+) \1$/.test(label);
}

function typeOf({ label }: Shape): string {
  return label.slice(0, label.indexOf(" "));
}

function textOf({ label }: Shape): string {
  return label.slice(label.indexOf(" ") + 1);
}
