/**
 * @file What a question may keep from one iteration to the next behind a name: in functions that count, in
 * objects that change when they are asked, in iterators. No checkpoint has it, so a replay that begins in
 * the middle would begin it anew. Whatever is not seen to keep nothing counts as keeping.
 */
import type { Binding, Call, ParsedFile, Reference, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { isVariable } from "../pairing/written-values.ts";
import { iterationOf } from "./carried-names.ts";
import type { Shaped } from "./changed-lines/shapes.ts";
import { newTextOf } from "./changed-lines/shapes.ts";
import { CONDITION, keptInFiles } from "./kept-in-files.ts";
import { isReadFirst } from "./set-before.ts";

/** A statement of a question. */
interface Putting {
  readonly statement: Statement;
  /** It stands for one of the run. */
  readonly shaped?: Shaped | undefined;
}

export interface Kept {
  /** Names of a question that may keep something between iterations in which it uses them. */
  readonly names: ReadonlySet<Binding>;
  /** What it keeps in objects that everybody has, as it is written. */
  readonly globals: ReadonlySet<string>;
}

export function keptValues(
  question: readonly Putting[],
  file: ParsedFile,
  isNew: (binding: Binding) => boolean,
): Kept {
  return new KeptValues(question, file, isNew).find();
}

class KeptValues {
  readonly #question: readonly Putting[];
  /** Its text: of a line of the run, what is new in it. */
  readonly #nodes: readonly Span[];
  readonly #file: ParsedFile;
  readonly #isNew: (binding: Binding) => boolean;
  readonly #keeping = new Map<Binding, boolean>();
  /** Of what is made by calling them. */
  readonly #keepingValues = new Map<Binding, boolean>();

  constructor(
    question: readonly Putting[],
    file: ParsedFile,
    isNew: (binding: Binding) => boolean,
  ) {
    this.#question = question;
    this.#nodes = question.flatMap(({ statement, shaped }) => newTextOf(statement, shaped));
    this.#file = file;
    this.#isNew = isNew;
  }

  find(): Kept {
    const names = new Set<Binding>();
    const globals = new Set<string>();
    for (const name of this.#namesMeantByTexts()) globals.add(name);
    for (const name of this.#keptAttributes()) globals.add(name);
    for (const text of keptInFiles(this.#question, this.#file)) globals.add(text);
    for (const { path, target } of this.#file.uses.writes) {
      const isOwn = this.#nodes.some((node) => isInside(target, node));
      if (isOwn && this.#isGlobal(target)) globals.add(path ?? this.#textOf(target));
    }
    for (const { statement } of this.#question) {
      for (const use of this.#references(statement.node)) {
        const { binding } = use;
        if (!binding || !this.#isNew(binding) || binding.kind === "import") continue;
        if (use.isRead && this.#isOfEarlier(binding, use.node)) globals.add(binding.name);
        const made = this.#makerOf(binding);
        if (!made || iterationOf(made) === iterationOf(statement)) continue;
        // What the head of a loop sets is set in each iteration.
        if (iterationOf(statement) === made) continue;
        if (this.#keeps(binding) || !this.#isOnlyRead(use, statement)) names.add(binding);
      }
    }
    return { names, globals };
  }

  /** A variable of what the run executes may have its value from another iteration. */
  #isOfEarlier(binding: Binding, use: Span): boolean {
    const isOwn = this.#question.some(({ statement, shaped }) => {
      return !shaped && isInside(binding.scope.node, statement.node);
    });
    return isVariable(binding) && !isOwn && isReadFirst(binding, use, this.#file);
  }

  /** Variables of a question that reads names as texts. */
  #namesMeantByTexts(): string[] {
    const nodes = this.#nodes;
    if (!nodes.some((node) => readsNamesAsTexts(this.#textOf(node)))) return [];
    return [...this.#file.scopes.bindingOf].flatMap(([at, binding]) => {
      const isOwn = this.#isNew(binding) && isVariable(binding);
      return isOwn && nodes.some((node) => isInside(at, node)) ? [binding.name] : [];
    });
  }

  /** What a question puts on objects of the run, where they may have it from before. */
  #keptAttributes(): string[] {
    const nodes = this.#nodes;
    const byText = nodes.flatMap((node) => SETS_BY_TEXT.exec(this.#textOf(node))?.[0] ?? []);
    const isOwn = (part: Span): boolean => nodes.some((node) => isInside(part, node));
    const { members, writes } = this.#file.uses;
    const given = writes.filter(({ target }) => {
      const object = isOwn(target) ? this.#objectOf(target) : undefined;
      if (object === undefined) return false;
      const member = members.find(
        ({ node }) => node.start === target.start && node.end === target.end,
      );
      if (!member) return true;
      if (members.some((other) => other.name === member.name && !isOwn(other.node))) return false;
      return this.#readsBefore(target) || !this.#isSetFirst(target, member.name, object);
    });
    const filled = this.#filledOfRun().filter(isOwn);
    return [
      ...byText,
      ...given.map(({ target }) => this.#textOf(target)),
      ...filled.flatMap((callee) => this.#objectOf(callee) ?? []),
    ];
  }

  /** Methods that put something into objects of the run, or take it away; tensors have `add`, too. */
  #filledOfRun(): Span[] {
    const { calls, members } = this.#file.uses;
    const names = new Map(members.map(({ node, name }) => [node, name]));
    const filling = calls.filter(({ node, callee }) => {
      const name = names.get(callee) ?? "";
      const isDone = this.#file.statements.some((one) => one.node.start === node.start);
      return FILLS.test(name) || (isDone && MAY_FILL.test(name));
    });
    return filling.map(({ callee }) => callee).filter((one) => this.#objectOf(one) !== undefined);
  }

  /** What an object of the run is called of which a part is assigned; undefined: no such object. */
  #objectOf(target: Span): string | undefined {
    const text = this.#textOf(target);
    const [self] = /^(?:this|self|cls)\b/.exec(text) ?? [];
    const [root] = this.#references(target);
    if (self !== undefined && (!root || root.name === self)) {
      const isOwn = this.#question.some(({ statement }) => {
        return this.#functionAround(target, statement.node) !== undefined;
      });
      return isOwn ? undefined : self;
    }
    if (!root?.binding || (root.node.start === target.start && root.node.end === target.end))
      return undefined;
    const isPart = /[.[]/.test(text.replace(/^[[{(\s]+/, ""));
    const isCopied = COPIED.test(this.#file.text.slice(root.node.end, target.end));
    return isPart && !this.#isFresh(root.binding, isCopied) ? root.name : undefined;
  }

  /** A name of the question for what it has made itself, not for something of the run. */
  #isFresh(binding: Binding, isCopied: boolean): boolean {
    if (!this.#isNew(binding)) return false;
    if (!isVariable(binding)) return true;
    const values = binding.definitions.map(({ node: { end } }) => {
      return this.#file.text.slice(end, end + 200);
    });
    const isMade = (text: string): boolean =>
      MAKES.test(text) || (isCopied && MAKES_COPY.test(text));
    return values.length > 0 && values.every(isMade);
  }

  /** `w.first ??= loss`, `w.n += 1`: what is set depends on what was there. */
  #readsBefore({ start, end }: Span): boolean {
    const { text } = this.#file;
    return COMPOUND.test(text.slice(end, end + 8)) || /(?:\+\+|--)\s*$/.test(text.slice(0, start));
  }

  /** Nothing of the question mentions it, or the whole object, before it is set, whatever the conditions. */
  #isSetFirst(target: Span, name: string, object: string): boolean {
    const around = this.#question.filter(({ statement }) => isInside(target, statement.node));
    const inner = this.#file.statements.findLast(({ node }) => isInside(target, node));
    const isNamed = (text: string): boolean => text.split(/[^\p{L}\p{N}_$]+/u).includes(name);
    const mention = new RegExp(`(?<![\\w$.])${object.replaceAll("$", "[$]")}(?![\\w$])`);
    const isWhole = (text: string): boolean => {
      const [, ...behind] = text.split(mention);
      return READS_ALL.test(text) || behind.some((rest) => !/^\.[\w$]+\s*[^\w$\s(]/.test(rest));
    };
    const before = this.#question.map(({ statement }) => {
      const { start, end } = statement.node;
      const isLater = inner && iterationOf(statement) !== iterationOf(inner);
      const isPart = around.some((one) => one.statement === statement);
      const until = isLater && !isPart ? end : Math.min(end, target.start);
      return this.#file.text.slice(start, until);
    });
    const value = this.#file.text.slice(target.end, inner?.node.end ?? target.end);
    const isAlways = around.every(({ statement: { node } }) => {
      return !CONDITION.test(this.#file.text.slice(node.start, target.start));
    });
    const isUnseen = !before.some((text) => isNamed(text) || isWhole(text));
    return isAlways && isUnseen && !isNamed(value) && !READS_ALL.test(value);
  }

  /** Of an object that everybody has: `globalThis.n`, an attribute of a module. */
  #isGlobal(target: Span): boolean {
    if (this.#textOf(target).startsWith("import.meta")) return true;
    const [root] = this.#references(target);
    if (!root || root.node.start !== target.start || root.node.end === target.end) return false;
    if (isThis(root.name)) return false;
    return root.binding === null || root.binding.kind === "import";
  }

  /** The innermost statement that declares it. */
  #makerOf({ declarations }: Binding): Statement | undefined {
    const makers = this.#question.filter(({ statement: { node } }) => {
      return declarations.some((one) => isInside(one, node));
    });
    const nodes = makers.map(({ statement }) => statement);
    return nodes.find((one) => nodes.every((other) => isInside(one.node, other.node)));
  }

  #references(part: Span): Reference[] {
    return this.#file.scopes.references.filter(({ node }) => isInside(node, part));
  }

  #textOf({ start, end }: Span): string {
    return this.#file.text.slice(start, end);
  }

  /** Whether what a name means, or what is made of it, may be another thing after it was used. */
  #keeps(binding: Binding, isValue = isVariable(binding)): boolean {
    const keeping = isValue ? this.#keepingValues : this.#keeping;
    const known = keeping.get(binding);
    if (known !== undefined) return known;
    keeping.set(binding, false);
    const made = this.#makerOf(binding);
    const found = made !== undefined && this.#isKeeping(made, isValue);
    keeping.set(binding, found);
    return found;
  }

  #isKeeping({ node }: Statement, isValue: boolean): boolean {
    if (isValue && MOVES_ON.test(this.#textOf(node).replaceAll(FIRST, ""))) return true;
    if (REMEMBERS.test(this.#textOf(node))) return true;
    if (this.#file.language.keepsDefaults && this.#hasOpenDefault(node)) return true;
    const { writes } = this.#file.uses;
    const isChanging = writes.some(({ target }) => {
      return isInside(target, node) && this.#changesOuter(target, node, isValue);
    });
    if (isChanging || (isValue && this.#changesItself(node))) return true;
    const filled = this.#file.uses.calls.filter((call) => call.fills && isInside(call.node, node));
    return this.#references(node).some((use) => {
      const { binding } = use;
      const isOwn = binding && this.#isNew(binding) && binding.kind !== "import";
      if (isOwn && this.#keeps(binding, isValue)) return true;
      const isFilled = filled.some(({ callee }) => isInside(use.node, callee));
      if (isOwn && isFilled && this.#isOuter(use, node)) return true;
      return this.#file.mutations.mutated.has(use.node) && this.#isOuter(use, node);
    });
  }

  /** A method changes what it is called on. */
  #changesItself(made: Span): boolean {
    const { mutations, uses } = this.#file;
    const filled = uses.calls.filter(({ fills }) => fills).map(({ callee }) => callee);
    return [...mutations.mutated, ...filled].some((part) => {
      return isInside(part, made) && /^(?:this|self|cls)\b/.test(this.#textOf(part));
    });
  }

  /** A parameter whose default is no constant: what a call does to it, the next one finds. */
  #hasOpenDefault(made: Span): boolean {
    const bindings = new Set(this.#file.scopes.bindingOf.values());
    return [...bindings].some(({ kind, declarations }) => {
      const [name] = declarations.filter((one) => isInside(one, made));
      if (kind !== "parameter" || !name) return false;
      const behind = this.#file.text.slice(name.end, made.end);
      const [, value = ""] = /^(?:\s*:[^=,()]*)?\s*=\s*([^,)]*)/.exec(behind) ?? [];
      return value !== "" && !/^(?:-?[\d.]+\w*|[rbfu]?["'].*|None|True|False)\s*$/.test(value);
    });
  }

  /** An assignment in a function, or in the body of a class, to what outlives its execution. */
  #changesOuter(target: Span, made: Span, isValue: boolean): boolean {
    const [root] = this.#references(target).filter(({ node }) => node.start === target.start);
    const own = this.#functionAround(target, made);
    // In the body of a class, outside of its methods, names are those of the class.
    if (!own) return root !== undefined && root.node.end < target.end && !isThis(root.name);
    const text = this.#textOf(target);
    const [word = ""] = /^\w*/.exec(text) ?? [];
    if (isThis(word)) return isValue || word === "cls";
    if (root) return this.#isOuter(root, made);
    const declared = [...this.#file.scopes.bindingOf].find(([node]) => node.start === target.start);
    return !declared || !isInside(declared[1].scope.node, own);
  }

  /** Not declared in the function in which it is used, or in one whose callback that is. */
  #isOuter({ node, binding, name }: Reference, made: Span): boolean {
    if (isThis(name)) return false;
    let own = this.#functionAround(node, made);
    if (!own) return false;
    if (!binding) return true;
    for (;;) {
      const inner: Span = own;
      if (isInside(binding.scope.node, inner)) return false;
      const around = this.#functionAround(inner, made);
      const isCallback = this.#file.uses.calls.some((call) => {
        return isInside(inner, call.node) && inner.start >= call.callee.end;
      });
      if (!around || !isCallback) return true;
      own = around;
    }
  }

  /** The innermost function around a part, in a statement. */
  #functionAround(part: Span, made: Span): Span | undefined {
    const around = [...this.#file.scopes.scopeOf.values()].filter(({ kind, node }) => {
      return kind === "function" && node !== part && isInside(part, node) && isInside(node, made);
    });
    const inner = around.map(({ node }) => node);
    return inner.find((one) => inner.every((other) => isInside(one, other)));
  }

  /** It is looked at, or given to what the run has: nothing that the question has may change it. */
  #isOnlyRead(use: Reference, { node }: Statement): boolean {
    if (use.isWrite || this.#isSetByHead(use, node)) return false;
    if (this.#isUsedUp(use, node) || this.#isChangedByPart(use, node)) return false;
    const { calls, writes } = this.#file.uses;
    if (writes.some(({ target }) => isInside(target, node) && isInside(use.node, target)))
      return false;
    const around = calls.filter(
      (call) => isInside(call.node, node) && isInside(use.node, call.node),
    );
    return around.every((call) => {
      const isCalled = use.node.end <= call.callee.end;
      const isKnown = call.effect === "none" || call.effect === "clock";
      if (isCalled && isKnown && (call.fills || this.#isOfClass(use))) return false;
      if (isKnown || this.#isLog(call)) return true;
      if (isCalled) return isQuietCall(call, use) && this.#isFunction(use);
      const isGivenOn = around.some((one) => one !== call && isInside(one.node, call.node));
      if (!isGivenOn && this.#isOfLibrary(call)) return false;
      return this.#isOfRun(call) && !this.#isToBeFilled(use);
    });
  }

  /**
   * It is gone through, and may be at its end then: it is not seen to be a list or the like. Or a method
   * that fills it is handed over.
   */
  #isUsedUp({ node, binding }: Reference, within: Span): boolean {
    const before = this.#file.text.slice(within.start, node.start);
    const behind = this.#file.text.slice(node.end, within.end);
    if (FILLING.test(behind) || FILLED.test(before)) return true;
    const made = binding && isVariable(binding) ? this.#makerOf(binding) : undefined;
    return made !== undefined && GOES_THROUGH.test(before) && !LASTS.test(this.#textOf(made.node));
  }

  /** `row = counts[2:]`, and `row += 1` behind it. */
  #isChangedByPart({ node, name }: Reference, within: Span): boolean {
    const text = this.#textOf(within);
    const [, part] = /^(\w+)\s*=\s*\w+[.[][^()]*$/.exec(text) ?? [];
    if (part === undefined || !text.slice(0, node.end - within.start).endsWith(name)) return false;
    return this.#file.uses.writes.some(({ target, accumulates }) => {
      return accumulates && this.#textOf(target) === part;
    });
  }

  /** It was made by a class of the program, or of a package: what its methods do their names do not say. */
  #isOfClass({ binding }: Reference): boolean {
    const made = binding && isVariable(binding) ? this.#makerOf(binding) : undefined;
    if (!made) return false;
    const [, ...names] = MADE_BY_CLASS.exec(this.#textOf(made.node)) ?? [];
    return this.#references(made.node).some(
      (one) => names.includes(one.name) && one.binding !== null,
    );
  }

  /** A function of a package that is called by the name of that, and not known to change nothing. */
  #isOfLibrary({ callee }: Call): boolean {
    const [root] = this.#references(callee);
    return root?.binding?.kind === "import" && root.node.end < callee.end;
  }

  /** An empty object, or a list: `heappush(best, loss)`. */
  #isToBeFilled({ binding }: Reference): boolean {
    const made = binding ? this.#makerOf(binding) : undefined;
    if (!made) return false;
    return made.isEmptyValue || LIST.test(this.#textOf(made.node));
  }

  #isLog({ node }: Call): boolean {
    return this.#file.statements.some((one) => {
      return (one.isLog || one.isLogOnly) && one.node.start === node.start;
    });
  }

  /** Also one that a name was given: a function that a call gave may keep what it was made with. */
  #isFunction({ binding }: Reference): boolean {
    if (!binding || !isVariable(binding)) return binding !== null;
    return this.#makerOf(binding)?.parameters !== undefined;
  }

  /** `for (seen[n] of list)` */
  #isSetByHead(use: Reference, { start, end }: Span): boolean {
    const [head = ""] =
      /^(?:[\w$]+\s*:\s*)*for\b.*?\s(?:of|in)\s/.exec(this.#file.text.slice(start, end)) ?? [];
    return use.node.start < start + head.length;
  }

  /** Something of the run is called, of a library, or of an object that is looked at by itself. */
  #isOfRun({ callee }: Call): boolean {
    const [root] = this.#references(callee);
    if (!root?.binding || root.node.start !== callee.start) return false;
    const isPlain = !this.#isNew(root.binding) || root.binding.kind === "import";
    return isPlain || isVariable(root.binding) || !this.#keeps(root.binding);
  }
}

/** A function that is called by its name: what it keeps is looked at by itself. */
function isQuietCall({ callee }: Call, { node }: Reference): boolean {
  return callee.start === node.start && callee.end === node.end;
}

function isThis(name: string): boolean {
  return /^(?:this|self|cls)$/.test(name);
}

/** `+=`, `??=`, `--` */
const COMPOUND = /^\s*(?:(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>>?|&&|\|\||\?\?)=|\+\+|--)/;

/** ` = {`, ` = Mean(`, behind a name */
const MAKES =
  /^\s*(?::[^=\n]*)?=\s*(?:[[{(\d"'`-]|new\b|[A-Z]|(?:\w+\.)*(?:[A-Z]\w*|dict|list|set|deque|defaultdict)\b)/;

/** ` = w.slice()`: the same things, in a list of its own. */
const MAKES_COPY =
  /^\s*(?::[^=\n]*)?=\s*(?:[\w$]+\.)*(?:clone|copy|deepcopy|slice|map|filter|concat|split|tolist|structuredClone|from|of|sorted|zeros\w*|ones\w*|empty\w*|full\w*|rand\w*|arange|linspace|eye|array|tensor|cat|stack)\((?:[^()]|\([^()]*\))*\);?\s*(?:\n|#|\/\/|$)/;

/** `[0]`, `.n`, behind such a name. */
const COPIED = /^(?:\[[^[\]]*\]|\.[\w$]+)$/;

const FILLS =
  /^(?:push|unshift|shift|splice|append|appendleft|extend|extendleft|insert|setdefault|pop|popleft|popitem)$/;

const MAY_FILL = /^(?:add|set|update|delete|remove|discard|clear|sort|reverse|fill|copyWithin)$/;

/** Whatever an object has. */
const READS_ALL =
  /\b(?:keys|values|entries|stringify|getOwn\w+|ownKeys|structuredClone|inspect|vars|dir|__dict__|hasattr|asdict|dumps?|repr|copy|deepcopy|state_dict)\b|\.{3}|\*\*|\bfor\s*\([^)]*\sin\s/;

/** `const m = new Mean(`, `m = Mean(` */
const MADE_BY_CLASS = /=\s*(?:new\s+([\w$]+)|([A-Z]\w*)\s*\()/;

/** `best = [0]` */
const LIST = /^[^=()]*=\s*\[/;

/** `globals().get("prev")`: any name may be meant, wherever it was set. */
export function readsNamesAsTexts(text: string): boolean {
  return BY_NAME.test(text);
}

/** `setattr(model, "n", 1)`, `vars(model)["n"] = 1` */
const SETS_BY_TEXT =
  /\b(?:__)?set(?:attr|item)(?:__)?\s*\(|(?:\bvars\s*\([^()]*\)|\.__dict__)(?:\[[^\]]*\]\s*[-+*/|&^@%]?=(?!=)|\.(?:update|setdefault|pop)\b)|\bObject\.(?:assign|definePropert(?:y|ies))\s*\(\s*(?![{[])|\bReflect\.set\s*\(/;

const BY_NAME =
  /(?<![.\w$])(?:globals|locals|vars|dir|eval|exec|Function)\s*\(|\b(?:_getframe|currentframe|sys\.modules|__main__)\b/;

/** A function that gives back what it found the first time that it was called so. */
const REMEMBERS = /^\s*@\s*(?:functools\s*\.\s*)?(?:lru_cache|cache)\b/m;
/** Values that are others when they have been used: iterators, generators of numbers, searches, proxies. */
const MOVES_ON =
  /\b(?:iter|map|zip|filter|enumerate|reversed|open|count|cycle|itertools\.\w+|finditer|reader|Random|default_rng|Generator|manual_seed|Proxy)\(|\.(?:values|entries|keys|items|matchAll|bind)\(|\/[^/\n]+\/[a-z]*[gy]|\([^()]* for [^()]* in /;

/** The first one is a value like any other. */
const FIRST = /\bnext\(\s*iter\(/g;

/** `for x in own`, `sum(own)`, `[...own]` */
const GOES_THROUGH =
  /(?:\b(?:in|of)\s+|\*|\.{3}|\b(?:list|tuple|set|dict|sum|max|min|any|all|sorted|zip|enumerate|map|filter|next|from)\([^()]*)$/;

/** What can be gone through again and again. */
const LASTS =
  /^[^=]*=\s*(?:[[{"'`\d-]|\(|new\b|(?:list|tuple|sorted|set|dict|frozenset|range|str|deque|Counter|defaultdict|OrderedDict|Object\.\w+|Array\.\w+|np\.\w+|numpy\.\w+|torch\.\w+|tf\.\w+)[.\w]*\(|[\w.]+\.(?:slice|filter|map|concat|split|flat|tolist|copy|clone|numpy|cpu|state_dict)\(|[\w.]+(?:\[[^\]]*\])*;?$)/;

/** `rows.forEach(Array.prototype.push, own)` */
const FILLED = /\.prototype\.(?:push|unshift|set|add)\s*,\s*$/;

const FILLING =
  /^\.(?:append|appendleft|extend|insert|add|update|push|unshift|set|setdefault|__setitem__|write)\b(?!\s*\()/;
