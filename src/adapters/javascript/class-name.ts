/**
 * @file The class of a captured object: which prototypes can be found again, and which values hide
 * state that no walk over properties sees.
 */
import { types } from "node:util";
import type { ClassName } from "../../format/index.ts";
import type { NodeWriter } from "../adapter.ts";
import type { ClassRegistry } from "./class-registry.ts";
import { hasTraps } from "./has-traps.ts";
import type { PrivateStateCheck } from "./private-state.ts";

/** Module name of classes of the language itself: always there, under their own name. */
export const BUILTIN_MODULE = "builtin";

const BUILTIN_ERRORS = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError,
} as const;

/** Prototype of a class of the language, by the name that a checkpoint gives. */
export function builtinPrototype(name: ClassName): object | undefined {
  if (name.module !== BUILTIN_MODULE || name.export === null) return undefined;
  if (!Object.hasOwn(BUILTIN_ERRORS, name.export)) return undefined;
  return BUILTIN_ERRORS[name.export as keyof typeof BUILTIN_ERRORS].prototype;
}

/** Prototypes that stand for themselves: an object of theirs needs no class. */
const BASES: ReadonlySet<unknown> = new Set([
  Object.prototype,
  Array.prototype,
  Map.prototype,
  Set.prototype,
  Date.prototype,
  RegExp.prototype,
  ...Object.values(BUILTIN_ERRORS).map((error) => error.prototype),
]);

/** Whether it is `Object.prototype`, of this realm or another. */
function isObjectPrototype(prototype: object): boolean {
  if (prototype === Object.prototype) return true;
  if (Object.getPrototypeOf(prototype) !== null) return false;
  const constructor = ownConstructor(prototype);
  return constructor?.name === "Object" && isNative(constructor);
}

/** The constructor that belongs to this very prototype. */
export function ownConstructor(prototype: object): Function | undefined {
  const property = Object.getOwnPropertyDescriptor(prototype, "constructor");
  const constructor: unknown = property?.value;
  if (typeof constructor !== "function") return undefined;
  return constructor.prototype === prototype ? constructor : undefined;
}

const methodNames = new WeakMap<object, string>();

/**
 * A name for a prototype that tells no class (`Net.prototype = { … }`, `Object.create(methods)`): its methods.
 * Undefined if it has anything else, which objects inherit and nobody captures.
 */
export function methodsOf(prototype: object): string | undefined {
  const known = methodNames.get(prototype);
  if (known !== undefined) return known;
  const names: string[] = [];
  for (const key of Reflect.ownKeys(prototype)) {
    const property = Object.getOwnPropertyDescriptor(prototype, key);
    if (property && "value" in property && typeof property.value !== "function") return undefined;
    names.push(String(key));
  }
  const above = Object.getPrototypeOf(prototype) as object | null;
  const isBase = above === null || BASES.has(above) || isObjectPrototype(above);
  const base = isBase ? "" : (ownConstructor(above)?.name ?? methodsOf(above));
  if (base === undefined || names.length === 0) return undefined;
  const name = `{ ${names.toSorted().join(", ")} }${base === "" ? "" : ` of ${base}`}`;
  methodNames.set(prototype, name);
  return name;
}

/** Asked for each object of a class, and the text of a class may be long. */
const natives = new WeakMap<Function, boolean>();

function isNative(constructor: Function): boolean {
  let answer = natives.get(constructor);
  if (answer === undefined) {
    answer = /\{\s*\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(constructor));
    natives.set(constructor, answer);
  }
  return answer;
}

const STATE_DICT_HELP =
  "leave it out of checkpointing, or give its class stateDict() and loadStateDict()";

/** Objects of prototypes that tell no class, and which these were when the objects were met first. */
const firstPrototypes = new WeakMap<object, object>();

/** Prototypes that objects had when a loop began, by the names that they have in checkpoints. */
export class NamedPrototypes {
  readonly #byName = new Map<string, Set<WeakRef<object>>>();
  readonly #seen = new WeakSet<object>();
  #last: unknown;

  /** Learns of an object's prototype, or of that which a function gives. */
  meet(object: object): void {
    if (hasTraps(object)) return;
    const prototype: unknown =
      typeof object === "function" ? object.prototype : Object.getPrototypeOf(object);
    if (typeof prototype !== "object" || prototype === null || prototype === this.#last) return;
    this.#last = prototype;
    if (this.#seen.has(prototype)) return;
    this.#seen.add(prototype);
    const name = BASES.has(prototype) ? undefined : nameOfPrototype(prototype);
    if (name === undefined) return;
    const known = this.#byName.get(name);
    if (known) known.add(new WeakRef(prototype));
    else this.#byName.set(name, new Set([new WeakRef(prototype)]));
  }

  /** Whether a new object of that name is given this very prototype: of several none is taken. */
  finds(name: string, prototype: object): boolean {
    const [first, ...others] = this.#byName.get(name) ?? [];
    return others.length === 0 && first?.deref() === prototype;
  }
}

/** What prototypes are found again by. */
export function nameOfPrototype(prototype: object): string | undefined {
  return ownConstructor(prototype)?.name ?? methodsOf(prototype);
}

/** What a value is classed by, besides its prototype. */
interface Classing {
  readonly hasPrivateState: PrivateStateCheck;
  readonly classes: ClassRegistry;
  /** Whether a new object of that name can be made again, of this very prototype. */
  readonly isFound: (name: string, prototype: object) => boolean;
}

/** See `NodeWriter.classOf`. */
export function classOf(
  value: object,
  base: object,
  writer: NodeWriter,
  { hasPrivateState, classes, isFound }: Classing,
): ClassName | null | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === base) return undefined;
  if (prototype === null) return null;
  if (base === Object.prototype && isObjectPrototype(prototype)) return undefined;
  const constructor = ownConstructor(prototype);
  const name = nameOfPrototype(prototype);
  if (name === undefined) {
    return writer.refuse("an object whose prototype is not that of a class");
  }
  for (let at: object | null = prototype; at !== null && at !== base && !BASES.has(at);) {
    const owner = ownConstructor(at);
    if (owner !== undefined && isNative(owner)) {
      if (isViewPrototype(at)) break;
      return writer.refuse(`an instance of ${name}, which the runtime keeps`);
    }
    if (owner !== undefined && !classes.fieldsOf(owner) && hasPrivateState(owner)) {
      return writer.refuse(
        `an instance of ${name}, whose private fields (#) nobody outside can read`,
        STATE_DICT_HELP,
      );
    }
    at = Object.getPrototypeOf(at) as object | null;
  }
  if (constructor && BASES.has(prototype)) {
    return { name: constructor.name, module: BUILTIN_MODULE, export: constructor.name };
  }
  const known = constructor ? classes.nameOf(constructor) : { name, module: null, export: null };
  if (classes.prototypeOf(known) === prototype) return known;
  if (!isFound(name, prototype)) {
    writer.refuse(
      `an instance of ${name} made in the loop, and nothing that is there when the loop begins tells which class that is`,
      `let the state hold an instance of ${name}, or the class itself, before the loop`,
    );
  }
  if (!constructor && isExchanged(value, prototype)) {
    writer.refuse("an object whose prototype was exchanged");
  }
  return known;
}

function isExchanged(value: object, prototype: object): boolean {
  const first = firstPrototypes.get(value);
  if (first === undefined) firstPrototypes.set(value, prototype);
  return first !== undefined && first !== prototype;
}

function isViewPrototype(prototype: object): boolean {
  return ArrayBuffer.isView(prototype) || "BYTES_PER_ELEMENT" in prototype;
}

/** Kinds of object whose content is out of reach; `undefined` for all others. */
export function unreachableKind(value: object): string | undefined {
  if (hasTraps(value)) {
    return types.isProxy(value) ? "a Proxy" : "an object that inherits from a Proxy";
  }
  // Nearly all objects are of these two kinds, and none of the others is.
  if (Array.isArray(value)) return undefined;
  if (types.isArgumentsObject(value)) return "an arguments object";
  if (Object.getPrototypeOf(value) === Object.prototype) return undefined;
  if (types.isPromise(value)) return "a Promise";
  if (types.isWeakMap(value)) return "a WeakMap";
  if (types.isWeakSet(value)) return "a WeakSet";
  if (value instanceof WeakRef) return "a WeakRef";
  if (types.isGeneratorObject(value)) return "a generator";
  if (types.isMapIterator(value) || types.isSetIterator(value)) return "an iterator";
  if (types.isBoxedPrimitive(value)) return "a boxed primitive (use the primitive itself)";
  if (types.isModuleNamespaceObject(value)) return "a module";
  if (types.isExternal(value)) return "memory outside JavaScript";
  return undefined;
}
