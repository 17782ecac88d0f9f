/** @file What a plan says of code from elsewhere that it executes. */
import type { Plan } from "../../format/index.ts";
import { foreignRemotes, isolationHere } from "../../replayer/index.ts";
import type { Project } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { isTrusted } from "../trust.ts";

const APART = {
  bubblewrap: "without network, and writes only into its own tree (bubblewrap)",
  none: "with all that you may do: there is no bubblewrap here that works",
} as const;

/** The plan, with a note for each remote whose code it executes, and what that is executed in. */
export function withForeignNotes({ env }: Ports, project: Project, plan: Plan): Plan {
  const remotes = foreignRemotes(project, plan);
  if (remotes.length === 0) return plan;
  const how = APART[isolationHere(env)];
  const notes = remotes.map(({ remote, address, runs }) => {
    const what = runs.length === 1 ? "1 run" : `${runs.length} runs`;
    const asked = isTrusted(env, address) ? "" : ", which you have not trusted yet";
    return `code of ${what} came from ${remote}${asked}: executed ${how}`;
  });
  return { ...plan, notes: [...(plan.notes ?? []), ...notes] };
}
