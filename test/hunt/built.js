/**
 * @file A hook of Node's loader for tests without vitest: types are blanked, and of the engine's
 * sources, which say more than Node 20 knows, what was built is taken.
 */
export { load } from "../support/strip-types.js";

const ROOT = new URL("../../", import.meta.url).href;

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, next) {
  const url = /^\.{1,2}\//.test(specifier) ? new URL(specifier, context.parentURL).href : specifier;
  if (!url.startsWith(`${ROOT}src/`)) return next(specifier, context);
  const built = url.slice(ROOT.length + "src/".length).replace(/\.ts$/, ".js");
  return next(`${ROOT}build/${built}`, context);
}
