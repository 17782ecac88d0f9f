/** @file What code from elsewhere is executed in: apart, where this machine can. */
import type { Plan } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import { foreignSources, remotesOf } from "./foreign-runs.ts";
import { canSandbox } from "./sandbox.ts";

/** `none`: with all that the user may do. */
export type Isolation = "bubblewrap" | "none";

/** What a replay's units are executed in; null: a unit holds no code from elsewhere. */
export function isolationOfPlan(
  project: Project,
  plan: Pick<Plan, "statements">,
  env: NodeJS.ProcessEnv,
): (unit: { readonly parent: { readonly run: string } }) => Isolation | null {
  let isAsked: boolean | undefined;
  let isolation: Isolation | undefined;
  return ({ parent }) => {
    // A statement from elsewhere is in the source of every run.
    isAsked ??= foreignSources(project, plan).length > 0;
    if (!isAsked && remotesOf(project, [parent.run]).length === 0) return null;
    isolation ??= isolationHere(env);
    return isolation;
  };
}

export function isolationHere(env: NodeJS.ProcessEnv): Isolation {
  return canSandbox(env) ? "bubblewrap" : "none";
}
