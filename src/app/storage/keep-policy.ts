/** @file Which checkpoints are kept, as the command line says it. */
import type { KeepPolicy } from "../../format/index.ts";
import { AfterlogError, parseKeep } from "../../format/index.ts";

/** The forms of a policy, one a line. */
export const POLICY_HELP: readonly [string, ...string[]] = [
  "all             every checkpoint",
  "peak:accuracy   the best by a logged name, and the last; peak:loss:min for the least",
  "every:5         the end of every fifth iteration, and the last",
  "20GB            as many as fit; steps:2GB limits only those inside epochs",
];

/** Throws AL001 if the text names no policy. */
export function parsePolicy(option: string, text: string): { policy: KeepPolicy; text: string } {
  const policy = parseKeep(text);
  if (policy) return { policy, text };
  throw new AfterlogError("AL001", `${option} ${text} is no policy`, { help: POLICY_HELP });
}
