/** @file Which library a path belongs to, and what its functions and objects do. */
import type { LibraryDescription } from "../../../format/index.ts";
import { AFTERLOG } from "./afterlog.ts";
import { describedCall, describedMethod } from "./described.ts";
import type { Effect, Library } from "./effect.ts";
import { GLOBALS } from "./globals.ts";
import { JAX } from "./jax.ts";
import { NODE } from "./node.ts";
import { TFJS } from "./tfjs.ts";
import { builtinModules } from "node:module";

const NODE_MODULES = new Set(builtinModules);

function libraryOf(root: string): Library | undefined {
  if (root === "global") return GLOBALS;
  if (root === "afterlog") return AFTERLOG;
  if (root === "@jax-js/jax" || root.startsWith("@jax-js/jax/")) return JAX;
  if (/^@tensorflow\/tfjs(?:-|$)/.test(root)) return TFJS;
  return root.startsWith("node:") || NODE_MODULES.has(root) ? NODE : undefined;
}

/** What the project says of packages that are in none of the tables here. */
type Described = readonly LibraryDescription[];

/** What a function from outside does, by its path `root|member.member`. Undefined: anything. */
export function effectOfCall(
  path: string,
  how: "call" | "new" | "super",
  described: Described,
): Effect | undefined {
  const [root = "", members = ""] = path.split("|");
  const known = libraryOf(root);
  if (known) return known.call(members.replace(/^globalThis\./, ""), how);
  const library = described.find(({ packages }) => packages.includes(root));
  return library && describedCall(library, members, how);
}

/** Whether a table here knows the package. */
export function isKnownPackage(name: string): boolean {
  return libraryOf(name) !== undefined;
}

/** Packages of functions that keep nothing to themselves between two calls. */
const STATELESS =
  /^(?:lodash(?:-es)?|ramda|remeda|simple-statistics|d3-(?:array|scale|interpolate)|ml-matrix)(?:\/|$)/;

/** Whether a path leads into a package of which only the whole is called stateless. */
export function isStatelessPackage(path: string): boolean {
  return STATELESS.test(path.split("|")[0] ?? "");
}

/** The package that a path leads into, if nobody knows what it keeps. */
export function unknownPackage(path: string, described: Described): string | undefined {
  const [root = ""] = path.split("|");
  const isDescribed = described.some(({ packages }) => packages.includes(root));
  return libraryOf(root) || STATELESS.test(root) || isDescribed ? undefined : root;
}

/** What a method of an object from outside does, by what the object is. */
export function effectOfMethod(
  kind: string,
  name: string,
  described: Described,
): Effect | undefined {
  if (kind === "dataset") return AFTERLOG.method?.(kind, name);
  if (kind === "jax") return JAX.method?.(kind, name);
  if (kind === "tensor" || kind === "owner") return TFJS.method?.(kind, name);
  if (kind === "handle") return NODE.method?.(kind, name);
  return describedMethod(described, kind, name);
}
