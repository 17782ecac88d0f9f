/**
 * @file Classes of the program that rewritten source has made known: they are found again by the
 * place of their declaration, and their private fields can be read and set.
 */
import type { ClassName, SavingClass } from "../../format/index.ts";

/** A private field of a class: only code inside the class can reach it, so the class lends it. */
export interface PrivateField {
  readonly name: string;
  readonly has: (instance: object) => boolean;
  readonly get: (instance: object) => unknown;
  readonly set: (instance: object, value: unknown) => void;
}

interface KnownClass {
  readonly key: string;
  readonly fields: readonly PrivateField[];
}

export class ClassRegistry {
  /** Classes of packages that save themselves, by name, as the project says. */
  readonly saving: Map<string, SavingClass> = new Map();
  readonly #known = new WeakMap<object, KnownClass>();
  /** By key; null once two classes have the same, as those made by a function that ran twice. */
  readonly #byKey = new Map<string, Function | null>();

  /** `key`: `file:scope:name` of the declaration. */
  add(constructor: Function, key: string, fields: readonly PrivateField[]): void {
    this.#known.set(constructor, { key, fields });
    this.#byKey.set(key, this.#byKey.has(key) ? null : constructor);
  }

  /** Its private fields; undefined if the class is not known. */
  fieldsOf(constructor: object): readonly PrivateField[] | undefined {
    return this.#known.get(constructor)?.fields;
  }

  nameOf(constructor: Function): ClassName {
    const key = this.#known.get(constructor)?.key;
    const at = key?.indexOf(":") ?? -1;
    return {
      name: constructor.name,
      module: key?.slice(0, at) ?? null,
      export: key?.slice(at + 1) ?? null,
    };
  }

  /** The prototype of the class that a checkpoint names. */
  prototypeOf({ module, export: name }: ClassName): object | undefined {
    if (module === null || name === null) return undefined;
    return this.#byKey.get(`${module}:${name}`)?.prototype as object | undefined;
  }

  /** Every private field that the object has, those of base classes first. */
  fieldsIn(object: object): PrivateField[] {
    const found: PrivateField[] = [];
    for (let at = protoOf(object); at !== null && at !== Object.prototype; at = protoOf(at)) {
      const constructor: unknown = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
      const fields = typeof constructor === "function" ? this.fieldsOf(constructor) : undefined;
      if (fields) found.unshift(...fields.filter((field) => field.has(object)));
    }
    return found;
  }
}

function protoOf(object: object): object | null {
  return Object.getPrototypeOf(object) as object | null;
}
