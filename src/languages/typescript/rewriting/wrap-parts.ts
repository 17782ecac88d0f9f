/**
 * @file Statements that a run did not have, executed so that it does not notice: what they draw of the
 * generators and switch of the model is set back behind them, what they throw reaches nobody, and
 * where they would leave the code around them, they end. Names that they declare are declared in
 * front of them, so that other parts of the question see them.
 */
import type { Node, Statement, VariableDeclaration } from "oxc-parser";
import type { Span } from "../../../tree/index.ts";
import { parseSource } from "../parse.ts";
import { namesIn } from "../analysis/lowering/syntax-names.ts";
import { childrenOf, statementsOf } from "../syntax.ts";
import type { PartEffect } from "../analysis/changes/effect-of-part.ts";
import { isLight } from "./light-parts.ts";
import type { Edits } from "./text-edits.ts";

/** Statements in a row, in a text. */
interface Part extends Span {
  readonly file: string;
  readonly text: string;
}

interface Wrapping {
  /** Begins names that the text does not have. */
  readonly own: string;
  /** What is executed first. */
  readonly counted: string;
  readonly effectOfPart?: ((span: Span) => PartEffect) | undefined;
}

/** Wraps a part. */
export function wrapPart(edits: Edits, part: Part, wrapping: Wrapping): void {
  const statements = statementsIn(parseSource(part.file, part.text).program, part);
  // What a module exports stands in no block.
  const runs: Statement[][] = [[]];
  for (const statement of statements) {
    if (statement.type.startsWith("Export")) runs.push([]);
    else if (!/^(?:Import|TS)/.test(statement.type)) runs.at(-1)?.push(statement);
  }
  const [first, ...others] = runs.filter((run) => run.length > 0);
  if (first) wrapRun(edits, first, wrapping);
  for (const run of others) wrapRun(edits, run, { ...wrapping, counted: "" });
}

function wrapRun(
  edits: Edits,
  wrapped: readonly Statement[],
  { own, counted, effectOfPart }: Wrapping,
): void {
  const [first, last] = [wrapped[0], wrapped.at(-1)];
  if (!first || !last) return;
  const names = wrapped.flatMap(declaredBy);
  const span = { start: first.start, end: last.end };
  const effect = effectOfPart?.(span) ?? "any";
  const kind = effect === "nothing" ? 3 : isLight(wrapped) || effect === "no-flag" ? 2 : 1;
  const declared = names.length > 0 ? `let ${names.join()};` : "";
  edits.before(
    first.start,
    `${declared}${own}p:{const ${own}s=${own}().save(${kind},${first.start});try{${counted}`,
  );
  edits.after(
    last.end,
    `;}catch(${own}e){${own}().failed(${own}e)}finally{${own}().back(${own}s)}}`,
  );
  const wrapping = new PartWrapping(edits, own);
  for (const statement of wrapped) wrapping.statement(statement);
}

/** The statements of one list that lie in a span. */
function statementsIn(node: Node, span: Span): readonly Statement[] {
  const isInside = ({ start, end }: Node): boolean => span.start <= start && end <= span.end;
  const list = statementsOf(node)?.filter(isInside) ?? [];
  if (list.length > 0) return list;
  const around = childrenOf(node).filter(({ start, end }) => start < span.end && span.start < end);
  for (const child of around) {
    const found = statementsIn(child, span);
    if (found.length > 0) return found;
  }
  return [];
}

/** The names of the block that a statement declares. */
function declaredBy(statement: Statement): string[] {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.kind === "var"
        ? []
        : statement.declarations.flatMap(({ id }) => namesIn(id));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return statement.id ? [statement.id.name] : [];
    default:
      return [];
  }
}

class PartWrapping {
  readonly #edits: Edits;
  readonly #own: string;

  constructor(edits: Edits, own: string) {
    this.#edits = edits;
    this.#own = own;
  }

  statement(statement: Statement): void {
    switch (statement.type) {
      case "VariableDeclaration":
        if (statement.kind !== "var") this.#variables(statement);
        break;
      case "FunctionDeclaration":
      case "ClassDeclaration":
        if (!statement.id) break;
        this.#edits.before(statement.start, `;${statement.id.name}=`);
        this.#edits.after(statement.end, ";");
        return;
      default:
    }
    this.#jumps(statement, { inLoop: false, inSwitch: false, labels: new Set() });
  }

  /** `const { a } = b` becomes `({ a } = b)`. */
  #variables({ kind, start, declarations }: VariableDeclaration): void {
    this.#edits.before(start, ";(");
    this.#edits.cut(start, start + kind.length);
    for (const { id, init } of declarations) {
      const type = "typeAnnotation" in id ? id.typeAnnotation : null;
      if (type) this.#edits.cut(type.start, type.end);
      if (!init) this.#edits.after(id.end, "=undefined");
    }
    const last = declarations.at(-1);
    if (last) this.#edits.after(last.end, ")");
  }

  /** What would leave the part ends it. */
  #jumps(node: Node, around: Around): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
      case "ClassDeclaration":
      case "ClassExpression":
        return;
      case "ReturnStatement":
        return this.#endInstead(node, node.argument ?? undefined);
      case "BreakStatement":
        if (node.label ? around.labels.has(node.label.name) : around.inLoop || around.inSwitch)
          return;
        return this.#endInstead(node);
      case "ContinueStatement":
        if (node.label ? around.labels.has(node.label.name) : around.inLoop) return;
        return this.#endInstead(node);
      default:
    }
    const inner = insideOf(node, around);
    for (const child of childrenOf(node)) this.#jumps(child, inner);
  }

  #endInstead({ start, end }: Node, value?: Node): void {
    this.#edits.before(start, "{");
    this.#edits.cut(start, value?.start ?? end);
    this.#edits.after(end, `;break ${this.#own}p}`);
    if (value) this.#jumps(value, { inLoop: false, inSwitch: false, labels: new Set() });
  }
}

/** What a jump may mean without leaving the part. */
interface Around {
  readonly inLoop: boolean;
  readonly inSwitch: boolean;
  readonly labels: ReadonlySet<string>;
}

function insideOf(node: Node, around: Around): Around {
  if (/^(?:For|While|DoWhile)/.test(node.type)) return { ...around, inLoop: true };
  if (node.type === "SwitchStatement") return { ...around, inSwitch: true };
  if (node.type !== "LabeledStatement") return around;
  return { ...around, labels: new Set([...around.labels, node.label.name]) };
}
