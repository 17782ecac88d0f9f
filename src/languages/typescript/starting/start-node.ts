/** @file How Node is started with a program. */
import { nodePath } from "../../../host/index.ts";
import type { StartCommand, StartOptions } from "../../start-command.ts";
import { TYPESCRIPT_LOADERS } from "./loaders.ts";

export function startNode(program: string, { env }: StartOptions): StartCommand {
  // As part of its address: threads and forked processes inherit the flag, and so find it too.
  const loaders = new URLSearchParams(TYPESCRIPT_LOADERS).toString();
  const preload = new URL(`../../../sdk/preload.js?${loaders}`, import.meta.url).href;
  return { command: nodePath, args: ["--import", preload, program], env, wantsSource: false };
}
