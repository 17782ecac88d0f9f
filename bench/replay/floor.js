// @ts-check
/**
 * @file What a replay cannot do without: a process that starts Node with our loader, imports what
 * the program imports, executes the code outside the loop and loads the state by hand. No plan, no
 * tree, no check, nothing recorded, source not rewritten.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Project, ROOT, take } from "./project.js";

/** @import { Sizes } from "./project.js" */

/** @param {string} path */
const addressOf = (path) => pathToFileURL(join(ROOT, "dist", path)).href;
const LOADERS = new URLSearchParams({
  hooks: addressOf("languages/typescript/starting/import-hooks.js"),
  require: addressOf("languages/typescript/starting/require-hook.js"),
});
/** Has Node load TypeScript as it does under `afterlog run`. */
export const PRELOAD = `${addressOf("sdk/preload.js")}?${LOADERS.toString()}`;

/**
 * Makes the two programs; answers how to execute each.
 * @param {string} folder
 * @param {Sizes} sizes
 * @param {string} checkpoint the end of the loop
 */
export function makeFloors(folder, sizes, checkpoint) {
  const prefix = new Project(join(folder, "floor-prefix"), sizes);
  prefix.write({ asked: "prefix" }, (source) => partsOf(source).before);
  const suffix = new Project(join(folder, "floor-suffix"), sizes);
  suffix.write({ asked: "suffix" }, (source) => {
    const { before, after } = partsOf(source);
    return `${before}al.restore(state, ${JSON.stringify(checkpoint)});\n${after}`;
  });
  /** @param {Project} project */
  const execute = (project) => () =>
    take(["--import", PRELOAD, "train.js"], project.folder, { AFTERLOG_MODE: "off" });
  return { prefix: execute(prefix), suffix: execute(suffix) };
}

/** @param {string} source */
function partsOf(source) {
  const [before, loop, after] = source.split(/^\/\/ --- (?:end of the )?loop\n/m);
  assert.ok(
    before !== undefined && loop !== undefined && after !== undefined,
    "no marks of a loop",
  );
  return { before, after };
}
