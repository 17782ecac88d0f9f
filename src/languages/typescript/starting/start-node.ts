/** @file How Node is started with a program. */
import { nodePath } from "../../../host/index.ts";
import type { StartCommand, StartOptions } from "../../language.ts";

/**
 * URLs of the modules that let Node 20 load TypeScript: hooks for `module.register`, and one whose
 * `installRequire` does it for CommonJS.
 */
export const TYPESCRIPT_LOADERS: { readonly hooks: string; readonly require: string } = {
  hooks: new URL("./import-hooks.js", import.meta.url).href,
  require: new URL("./require-hook.js", import.meta.url).href,
};

export function startNode(program: string, { env }: StartOptions): StartCommand {
  // As part of its address: threads and forked processes inherit the flag, and so find it too.
  const loaders = new URLSearchParams(TYPESCRIPT_LOADERS).toString();
  const preload = new URL(`../../../sdk/preload.js?${loaders}`, import.meta.url).href;
  return { command: nodePath, args: ["--import", preload, program], env, wantsSource: false };
}
