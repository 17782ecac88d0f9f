/**
 * @file A hook of Node's loader for tests without vitest: types are blanked, and of the engine's
 * sources, which say more than Node 20 knows, what was built is taken.
 */
export { load } from "../support/strip-types.js";

const ROOT = new URL("../../", import.meta.url).href;

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (!found.url.startsWith(`${ROOT}src/`)) return found;
  const built = found.url.slice(ROOT.length + "src/".length).replace(/\.ts$/, ".js");
  return { ...found, url: `${ROOT}dist/${built}`, format: "module" };
}
