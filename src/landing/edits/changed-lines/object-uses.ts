/**
 * @file Where an object of the older version goes: whether all that becomes of it is that some of its
 * keys are read. Then it may have others, and nothing of the run would notice.
 */
import type { Anatomy, Binding, ParsedFile, Shape, Syntax } from "../../../languages/index.ts";
import { definitionOf, functionAround, isExported, mentionsOf } from "./function-names.ts";
import { importedPath } from "./imported-path.ts";
import type { OtherFiles } from "./other-files.ts";

export class ObjectUses {
  readonly #file: ParsedFile;
  readonly #others: OtherFiles;
  readonly #around = new Map<Shape, Shape>();
  readonly #bySpan = new Map<string, Shape>();

  constructor(file: ParsedFile, others: OtherFiles) {
    this.#file = file;
    this.#others = others;
    this.#note(file.shape);
  }

  /** Whether of what an expression gives only keys are read, and none of these. */
  isReadByKeys(value: Shape, keys: ReadonlySet<string>): boolean {
    return this.#isRead(value, { keys, seen: new Set() });
  }

  /** The call that is given a mapping, itself or under a key of what it is given. */
  callWith(value: Shape): Holder | undefined {
    const around = this.#holderOf(value);
    const anatomy = around && this.#anatomyOf(around);
    if (around && anatomy?.kind === "call") return { call: around, key: undefined };
    const options = around && anatomy?.kind === "named" ? this.#holderOf(around) : undefined;
    const outer = options && this.callWith(options);
    if (anatomy?.kind !== "named" || outer === undefined || outer.key !== undefined)
      return undefined;
    return { call: outer.call, key: anatomy.name };
  }

  /** Whether what is mentioned is called, and nothing is done with what that gives. */
  isIgnoredCall(node: Syntax): boolean {
    const call = this.#callOf(node);
    return call !== undefined && this.#isIgnored(call);
  }

  #isIgnored(value: Shape): boolean {
    const around = this.#holderOf(value);
    if (!around) return false;
    if (isAwait(around)) return this.#isIgnored(around);
    return this.#anatomyOf(around)?.kind === "evaluation";
  }

  #isRead(value: Shape, way: Way): boolean {
    const around = this.#holderOf(value);
    const anatomy = around && this.#anatomyOf(around);
    if (!around || !anatomy) return false;
    const { kind } = anatomy;
    if (kind === "member") return this.#isMemberRead(around, anatomy, way);
    if (kind === "item") return !way.keys.has(anatomy.key);
    if (kind === "assignment") {
      return anatomy.value === value && this.#isTargetRead(anatomy.target, way);
    }
    if (kind === "return") return this.#isResultRead(value, way);
    if (kind === "call") return this.#isArgumentRead(around, anatomy, value, way);
    if (kind === "named") return this.#areOptionsRead(around, anatomy.name, way);
    return kind === "evaluation" || (isAwait(around) && this.#isRead(around, way));
  }

  /** What has keys of its own has no methods; a dictionary has `get`. */
  #isMemberRead(
    around: Shape,
    { name }: Extract<Anatomy, { kind: "member" }>,
    { keys }: Way,
  ): boolean {
    const call = this.#holderOf(around);
    const given = call && this.#anatomyOf(call);
    const isCalled = given?.kind === "call" && given.callee === around;
    if (!this.#file.language.hasKeysAsMembers) {
      const [key] = given?.kind === "call" ? given.given : [];
      const word = key && this.#file.text.slice(key.start, key.end);
      const [, literal] = /^["'](\w+)["']$/.exec(word ?? "") ?? [];
      return isCalled && name === "get" && literal !== undefined && !keys.has(literal);
    }
    const isOfAll = /^(?:toString|toLocaleString|valueOf|hasOwnProperty|constructor)$/.test(name);
    return !keys.has(name) && !isOfAll;
  }

  #isTargetRead(target: Shape, way: Way): boolean {
    const anatomy = this.#anatomyOf(target);
    if (anatomy?.kind === "name") {
      const binding = this.#bindingAt(target);
      return binding ? this.#isNameRead(binding, way) : false;
    }
    if (this.#text(target) === "module.exports")
      return this.#others.areTakenByName(this.#file.file);
    if (anatomy?.kind !== "mapping") return false;
    return anatomy.entries.every((one) => {
      const entry = this.#anatomyOf(one);
      return entry?.kind === "named" && !way.keys.has(entry.name);
    });
  }

  #isNameRead(binding: Binding, way: Way): boolean {
    if (way.seen.has(binding)) return true;
    way.seen.add(binding);
    const isOfModule = binding.scope.parent === null && binding.kind !== "import";
    const isElsewhere = (flow: ObjectUses): boolean => flow.#isImportRead(binding.name, way);
    if (isOfModule && !this.#isReadElsewhere(binding.name, isElsewhere)) return false;
    const uses = this.#file.scopes.references.filter((one) => one.binding === binding);
    return uses.every(({ node, isRead }) => {
      const shape = this.#bySpan.get(keyOf(node));
      if (!isRead || isExported(this.#file, node)) return true;
      return shape !== undefined && this.#isRead(shape, way);
    });
  }

  /** What another file does with a name that it imports, if it is that. */
  #isImportRead(name: string, way: Way): boolean {
    return mentionsOf(this.#file, name, false).every((node) => {
      const shape = this.#bySpan.get(keyOf(node));
      return shape !== undefined && this.#isRead(shape, way);
    });
  }

  /** Whether every other file that mentions a word only does what may be. */
  #isReadElsewhere(word: string, isRead: (flow: ObjectUses) => boolean): boolean {
    const { file: own } = this.#file;
    const others = this.#others.filesWith(word).filter((file) => file !== own);
    return others.every((one) => {
      const file = this.#others.fileOf(one);
      if (!file) return false;
      const isRenamed = file.imports.some(({ imported, local }) => {
        return imported === word && local !== word;
      });
      return !isRenamed && isRead(new ObjectUses(file, this.#others));
    });
  }

  /** What a function gives back, to whoever calls it. */
  #isResultRead(value: Shape, way: Way): boolean {
    const { statements } = this.#file;
    const own = statements.findLast(({ node }) => {
      return node.start <= value.start && value.end <= node.end;
    });
    const name = own && functionAround(this.#file, own);
    return name !== undefined && this.#areResultsRead(name, way);
  }

  #areResultsRead(name: string, way: Way): boolean {
    if (way.seen.has(name)) return true;
    way.seen.add(name);
    const own = definitionOf(this.#file, name);
    const isMethod = own?.member !== undefined;
    const areRead = (flow: ObjectUses): boolean =>
      mentionsOf(flow.#file, name, isMethod).every((node) => {
        const call = flow.#callOf(node);
        return call !== undefined && flow.#isRead(call, way);
      });
    return own !== undefined && areRead(this) && this.#isReadElsewhere(name, areRead);
  }

  /** The call of what is mentioned. */
  #callOf(node: Syntax): Shape | undefined {
    const callee = this.#bySpan.get(keyOf(node));
    const call = callee && this.#holderOf(callee);
    const anatomy = call && this.#anatomyOf(call);
    return anatomy?.kind === "call" && anatomy.callee === callee ? call : undefined;
  }

  /** What a function of the file is given. */
  #isArgumentRead(
    call: Shape,
    { callee, given }: Extract<Anatomy, { kind: "call" }>,
    value: Shape,
    way: Way,
  ): boolean {
    const called = this.#anatomyOf(callee);
    const at = given.findIndex((one) => one === value);
    const own = called?.kind === "name" ? definitionOf(this.#file, called.name) : undefined;
    const name = own?.parameters?.[at]?.name;
    if (!own || own.member !== undefined || !name) return false;
    // What stands before it may be several.
    const isOpen = this.#file.uses.calls.some(({ node, isOpen: more }) => {
      return node.start === call.start && node.end === call.end && more;
    });
    const parameter = [...this.#file.scopes.bindingOf.values()].find((one) => {
      const { start, end } = one.scope.node;
      const isOwn = own.node.start <= start && end <= own.node.end;
      return one.name === name && one.kind === "parameter" && isOwn;
    });
    return !isOpen && parameter !== undefined && this.#isNameRead(parameter, way);
  }

  /** What a parser of the command line is told that there may be: it gives a value for each. */
  #areOptionsRead(entry: Shape, name: string, way: Way): boolean {
    const settings = this.#holderOf(entry);
    const call = settings && this.#holderOf(settings);
    const [all, parsing] = [settings, call].map((one) => one && this.#anatomyOf(one));
    if (all?.kind !== "mapping" || parsing?.kind !== "call" || !call) return false;
    const path = importedPath(this.#file, parsing.callee);
    const parser = path === undefined ? undefined : this.#file.language.optionParser(path);
    const keys = all.entries.map((one) => this.#anatomyOf(one));
    const isKnown = keys.every((one) => one?.kind === "named" && one.name !== parser?.guesses);
    return parser?.options === name && isKnown && this.#isPartRead(call, parser.values, way);
  }

  /** As `#isRead`, of what a value has by one key; nothing else of it matters. */
  #isPartRead(value: Shape, key: string, way: Way): boolean {
    const around = this.#holderOf(value);
    const anatomy = around && this.#anatomyOf(around);
    if (around && anatomy?.kind === "member") {
      return anatomy.name !== key || this.#isRead(around, way);
    }
    const target = anatomy?.kind === "assignment" ? this.#anatomyOf(anatomy.target) : undefined;
    if (target?.kind !== "mapping") return false;
    return target.entries.every((one) => {
      const entry = this.#anatomyOf(one);
      if (entry?.kind !== "named") return false;
      return entry.name !== key || this.#isTargetRead(entry.value, way);
    });
  }

  #bindingAt({ start, end }: Shape): Binding | null | undefined {
    const { references, bindingOf } = this.#file.scopes;
    const isHere = (node: Syntax): boolean => node.start === start && node.end === end;
    const declared = [...bindingOf].find(([node]) => isHere(node))?.[1];
    return declared ?? references.find(({ node }) => isHere(node))?.binding;
  }

  /** What stands around a part and means something by itself. */
  #holderOf(part: Shape): Shape | undefined {
    const around = this.#around.get(part);
    if (!around) return undefined;
    return isTransparent(around) ? this.#holderOf(around) : around;
  }

  #anatomyOf(shape: Shape): Anatomy | undefined {
    return this.#file.language.anatomyOf(shape);
  }

  #text({ start, end }: Shape): string {
    return this.#file.text.slice(start, end);
  }

  #note(shape: Shape): void {
    this.#bySpan.set(keyOf(shape), shape);
    for (const part of shape.parts) {
      this.#around.set(part, shape);
      this.#note(part);
    }
  }
}

export interface Holder {
  readonly call: Shape;
  readonly key: string | undefined;
}

interface Way {
  readonly keys: ReadonlySet<string>;
  /** Names and functions that were looked at. */
  readonly seen: Set<Binding | string>;
}

/** Lists of arguments, declarations and the like: what is around them is meant. */
function isTransparent({ label }: Shape): boolean {
  return /^(?:argument_list|parenthesized_expression|VariableDeclarator|ParenthesizedExpression|TS\w+Expression)\b/.test(
    label,
  );
}

function isAwait({ label }: Shape): boolean {
  return /^await/i.test(label);
}

function keyOf({ start, end }: { readonly start: number; readonly end: number }): string {
  return `${start} ${end}`;
}
