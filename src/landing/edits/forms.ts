/** @file What the statements of a text say, as numbers that two texts share: the same for the same. */
import type { ParsedFile, Shape, Statement, StatementList, Syntax } from "../../languages/index.ts";

/** What a statement says. */
export interface Form {
  readonly shape: Shape;
  /** The same number for the same text, with all that stands in its blocks. */
  readonly whole: number;
  /** The same number for the same text around its blocks. */
  readonly around: number;
  /** The same number for the same text, wherever it stands. */
  readonly said: number;
}

export class Forms {
  readonly #numbers: Map<string, number>;
  readonly #forms = new Map<string, Form>();
  readonly #lists: ReadonlyMap<string, StatementList>;

  constructor({ shape, lists, members }: ParsedFile, numbers: Map<string, number>) {
    this.#numbers = numbers;
    this.#lists = new Map([...lists, ...members].map((list) => [keyOf(list.owner), list]));
    this.#add(shape);
  }

  of({ node }: Statement): Form {
    const form = this.#forms.get(keyOf(node));
    if (!form) throw new Error(`no shape for the ${node.type} at ${node.start}`);
    return form;
  }

  saidBy(shape: Shape): number | undefined {
    return this.#forms.get(keyOfShape(shape))?.said;
  }

  /** Of a part of a text, what its form has around its blocks. */
  aroundBy(shape: Shape): number | undefined {
    return this.#forms.get(keyOfShape(shape))?.around;
  }

  /** The statements that stand in a block. */
  listOf(block: Shape): StatementList | undefined {
    return this.#lists.get(keyOfShape(block));
  }

  isBlock(shape: Shape): boolean {
    return this.#lists.has(keyOfShape(shape));
  }

  /** The blocks of a statement that lie in no other block of it. */
  blocksIn(statement: Statement): StatementList[] {
    const found: StatementList[] = [];
    const visit = (shape: Shape): void => {
      const list = this.#lists.get(keyOfShape(shape));
      if (list) found.push(list);
      else for (const part of shape.parts) visit(part);
    };
    visit(this.of(statement).shape);
    return found;
  }

  /** What a statement consists of, wherever in it that stands. */
  partsOf(statement: Statement): ReadonlySet<number> {
    const found = new Set<number>();
    const visit = (shape: Shape): void => {
      found.add(this.saidBy(shape) ?? -1);
      for (const part of shape.parts) visit(part);
    };
    visit(this.of(statement).shape);
    return found;
  }

  #add(shape: Shape): Form {
    const { field, label, parts } = shape;
    const forms = parts.map((part) => this.#add(part));
    const inside = forms.map(({ whole }) => whole).join();
    const around = this.isBlock(shape) ? "" : forms.map((form) => form.around).join();
    const own = `${field} ${label}`;
    const form = {
      shape,
      said: this.#numberOf(`said ${label} ${forms.map(({ said }) => said).join()}`),
      whole: this.#numberOf(`${own} ${inside}`),
      around: this.#numberOf(`${own} ${around}`),
    };
    this.#forms.set(keyOfShape(shape), form);
    return form;
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}

/** A shape and the node that it stands for begin, end and are called alike. */
function keyOf({ start, end, type }: Syntax): string {
  return `${start} ${end} ${type}`;
}

function keyOfShape({ start, end, label }: Shape): string {
  return keyOf({ start, end, type: /^\S*/.exec(label)?.[0] ?? "" });
}
