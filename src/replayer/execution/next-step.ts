/** @file What becomes of a unit whose process has ended, by how it ended. */
import type { ReplayUnit } from "./execute-unit.ts";
import type { UnitResult } from "./unit-process.ts";

export type NextStep =
  | { readonly kind: "done" }
  /** `failed`: what it gave is kept, and it is reported. */
  | { readonly kind: "stopped" | "retry" | "whole" | "failed"; readonly why: string };

export function nextStep(result: UnitResult, { parent }: ReplayUnit): NextStep {
  const { outcome, signal, exitCode, stopped } = result;
  if (outcome?.kind === "done") return { kind: "done" };
  if (stopped) return { kind: "stopped", why: "it was stopped" };
  if (outcome === null) {
    const how = signal === null ? `exit code ${exitCode}` : signal;
    return { kind: "retry", why: `the process ended without a word (${how})` };
  }
  if (outcome.kind === "insufficient") return { kind: "whole", why: outcome.why };
  // A run that failed fails again, at the same point.
  const failsAlike = parent.status === "failed" && parent.exitCode === exitCode;
  if (outcome.kind === "failed" && failsAlike) return { kind: "done" };
  return { kind: "failed", why: outcome.why };
}
