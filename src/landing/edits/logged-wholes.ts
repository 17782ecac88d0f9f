/**
 * @file Whether the run logs an object as a whole: by a call to which it is given, item by item, in a function
 * that is given it, or behind the function that gives it back. Only where that is in the same iteration.
 */
import type { Binding, Call, ParsedFile, Shape, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { shapeOf } from "../pairing/statement-shape.ts";
import type { FileEdit } from "./align.ts";
import { isLoop, iterationOf } from "./carried-names.ts";
import { definitionOf, nameOf } from "./changed-lines/function-names.ts";

/** A name of it, since a place. */
interface Held {
  readonly binding: Binding;
  readonly from: number;
  /** The loop or function in whose body that is. */
  readonly around: Statement | null;
}

/** From function to function it is followed so far. */
const DEPTH = 3;
/** What follows where a part of an object is meant. */
const PART = /^\s*(?:\[|\??\.(?!(?:items|copy|entries)\b))/;

/** Whether it is logged behind the statement that gives it this name. */
export function isLoggedByName(edit: FileEdit, binding: Binding, statement: Statement): boolean {
  const held = { binding, from: statement.node.end, around: iterationOf(statement) };
  return new LoggedWholes(edit).isLogged(held, DEPTH);
}

/** Whether what a statement gives back is logged by who called its function. */
export function isLoggedByCallers(edit: FileEdit, statement: Statement): boolean {
  return new LoggedWholes(edit).isReturned(statement, DEPTH);
}

class LoggedWholes {
  readonly #now: ParsedFile;
  readonly #startBefore: FileEdit["startBefore"];

  constructor({ now, startBefore }: FileEdit) {
    this.#now = now;
    this.#startBefore = startBefore;
  }

  isLogged({ binding, from, around }: Held, depth: number): boolean {
    const { references } = this.#now.scopes;
    const uses = references.filter((use) => use.binding === binding && use.node.start >= from);
    return depth > 0 && uses.some(({ node }) => this.#isLoggedAt(node, around, depth));
  }

  isReturned(statement: Statement, depth: number): boolean {
    const around = iterationOf(statement);
    const name = around?.parameters === undefined ? undefined : nameOf(this.#now, around);
    if (depth === 0 || name === undefined || definitionOf(this.#now, name) !== around) return false;
    return this.#now.uses.calls.some((call) => {
      const user = this.#calledName(call) === name ? this.#statementAt(call.node) : undefined;
      if (!user || !this.#isOfRun(user)) return false;
      return isLogging(user) || this.#isNamedAndLogged(user, call, depth - 1);
    });
  }

  #isLoggedAt(use: Span, around: Statement | null, depth: number): boolean {
    const user = this.#statementAt(use);
    const isPart = PART.test(this.#now.text.slice(use.end, use.end + 20));
    if (isPart || !user || !this.#isOfRun(user) || iterationOf(user) !== around) return false;
    if (isLogging(user)) return true;
    if (isLoop(user)) {
      const { statements, bareBodies } = this.#now;
      const all = [...statements, ...bareBodies.flatMap(({ list }) => list.statements)];
      const inside = all.filter(({ node }) => isInside(node, user.node));
      return inside.some((one) => isLogging(one) && this.#isOfRun(one));
    }
    if (this.#anatomyOf(user)?.kind === "return") return this.isReturned(user, depth - 1);
    const call = this.#now.uses.calls.find(({ node, callee }) => {
      return isInside(use, node) && use.start >= callee.end;
    });
    return call !== undefined && this.#isLoggedBy(call, use, depth - 1);
  }

  /** `stats = evaluate()` */
  #isNamedAndLogged(statement: Statement, { node }: Call, depth: number): boolean {
    const own = this.#anatomyOf(statement);
    if (own?.kind !== "assignment" || own.value.end !== node.end) return false;
    const binding = bindingAt(this.#now, own.target);
    const held = { from: statement.node.end, around: iterationOf(statement) };
    return binding !== undefined && this.isLogged({ binding, ...held }, depth);
  }

  /** By the function that is called, of what is given to it at a place. */
  #isLoggedBy(call: Call, given: Span, depth: number): boolean {
    const own = definitionOf(this.#now, this.#calledName(call) ?? "");
    if (!own) return false;
    const parameters = (own.parameters ?? []).filter(({ name }) => name !== "self");
    const values = this.#valuesOf(call);
    const at = values.findIndex((value) => isInside(given, value));
    const name = parameters[at]?.name;
    const binding = [...this.#now.scopes.bindingOf.values()].find((one) => {
      return one.name === name && one.kind === "parameter" && isInside(one.scope.node, own.node);
    });
    const held = { from: own.node.start, around: own };
    return binding !== undefined && this.isLogged({ binding, ...held }, depth);
  }

  #valuesOf({ node }: Call): readonly Shape[] {
    const { anatomyOf } = this.#now.language;
    const shape = shapeOf(this.#now, node);
    const own = shape && anatomyOf(shape);
    // As a statement it begins and ends where the call does.
    const anatomy = own?.kind === "evaluation" ? anatomyOf(own.value) : own;
    return anatomy?.kind === "call" ? anatomy.given : [];
  }

  #anatomyOf({ node }: Statement): ReturnType<ParsedFile["language"]["anatomyOf"]> {
    const shape = shapeOf(this.#now, node);
    return shape && this.#now.language.anatomyOf(shape);
  }

  #calledName({ callee }: Call): string | undefined {
    const { scopes, uses } = this.#now;
    const name = scopes.references.find(({ node }) => node === callee);
    return (name ?? uses.members.find(({ node }) => node === callee))?.name;
  }

  /** The innermost one. */
  #statementAt(part: Span): Statement | undefined {
    const { statements, members } = this.#now;
    const all = [...statements, ...members.flatMap((list) => list.statements)];
    const around = all.filter(({ node }) => isInside(part, node));
    return around.find(({ node }) => around.every((other) => isInside(node, other.node)));
  }

  #isOfRun({ node }: Statement): boolean {
    return this.#startBefore(node.start) !== undefined;
  }
}

function isLogging({ isLog, isLogOnly }: Statement): boolean {
  return isLog || isLogOnly;
}

/** What a part of the text is called, if it is a name. */
export function bindingAt({ scopes }: ParsedFile, part: Span): Binding | undefined {
  const isHere = (node: Span): boolean => node.start === part.start && node.end === part.end;
  const used = scopes.references.find(({ node }) => isHere(node))?.binding;
  return used ?? [...scopes.bindingOf].find(([node]) => isHere(node))?.[1];
}
