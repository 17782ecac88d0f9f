/**
 * @file Objects, class instances and errors, by their own properties. The last adapter of the
 * list: what it cannot hold faithfully it refuses.
 */
import { types } from "node:util";
import type { Adapter, GraphNode, NodeOf, NodeReader } from "../adapter.ts";
import { methodsOf, ownConstructor } from "./class-name.ts";
import { fillProperties, integrityOf, writeProperties } from "./properties.ts";

/** Whether instances carry the runtime's mark of an error. */
function isErrorPrototype(prototype: object): boolean {
  return (
    prototype === Error.prototype || Object.prototype.isPrototypeOf.call(Error.prototype, prototype)
  );
}

/** A new object of the node's class, without running its constructor. */
function emptyObject(node: GraphNode, reader: NodeReader): object {
  if (node.class === null) return Object.create(null) as object;
  if (node.class === undefined) return {};
  const prototype = reader.prototypeOf(node.class);
  if (!isErrorPrototype(prototype)) return Object.create(prototype) as object;
  return Object.setPrototypeOf(new Error(), prototype) as object;
}

/** Throws AL071 unless the live object is of the class that the node names. */
export function checkClass(node: GraphNode, live: object, base: object, reader: NodeReader): void {
  const prototype = Object.getPrototypeOf(live) as object | null;
  const name = prototype === null ? null : nameOf(prototype);
  const expected =
    node.class === undefined ? base.constructor.name : node.class === null ? null : node.class.name;
  if (name === expected) return;
  const now = name === null ? "no class" : `class ${name}`;
  throw reader.mismatch(`it is of ${now} now, and was of class ${expected ?? "none"}`);
}

function nameOf(prototype: object): string {
  return (
    (ownConstructor(prototype) ? undefined : methodsOf(prototype)) ?? prototype.constructor.name
  );
}

export const plainAdapter: Adapter<object, NodeOf<"object">> = {
  name: "plain",
  matches: (value): value is object => typeof value === "object",
  write(value, writer) {
    const name = writer.classOf(value, Object.prototype);
    // Newer runtimes make `stack` an accessor of the error itself.
    const stack =
      types.isNativeError(value) &&
      "get" in (Object.getOwnPropertyDescriptor(value, "stack") ?? {});
    const props = writeProperties(value, writer, stack ? (key) => key !== "stack" : undefined);
    if (stack) props.unshift(["stack", writer.value(Reflect.get(value, "stack"), "stack")]);
    return {
      t: "object",
      ...(name === undefined ? {} : { class: name }),
      props,
      ...integrityOf(value),
    };
  },
  reads: (node): node is NodeOf<"object"> => node.t === "object",
  allocate(node, live, reader) {
    if (live === undefined) return emptyObject(node, reader);
    if (Array.isArray(live) || ArrayBuffer.isView(live) || typeof live === "function") {
      throw reader.mismatch("it was a plain object and is something else now");
    }
    checkClass(node, live, Object.prototype, reader);
    return live;
  },
  fill(node, object, reader) {
    fillProperties(object, node.props, reader);
  },
};
