/** @file A plan in a file: made now, executed later or by somebody else. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plan } from "../../format/index.ts";
import { AfterlogError, planFromJson } from "../../format/index.ts";
import { replaceFile } from "../../store/index.ts";
import type { Ports } from "../ports.ts";

/** Writes a plan, as `--json` prints it. */
export function savePlan({ cwd }: Ports, file: string, plan: Plan): void {
  replaceFile(resolve(cwd, file), `${JSON.stringify(plan, undefined, 2)}\n`);
}

/** Reads a plan. Throws AL001 if the file holds none. */
export function readPlanFile({ cwd }: Ports, file: string): Plan {
  try {
    const plan = planFromJson(JSON.parse(readFileSync(resolve(cwd, file), "utf8")));
    if (plan) return plan;
  } catch (cause) {
    throw notAPlan(file, cause);
  }
  throw notAPlan(file);
}

function notAPlan(file: string, cause?: unknown): AfterlogError {
  return new AfterlogError("AL001", `--plan ${file} is not a plan that can be read`, {
    help: ["write one:  afterlog plan NAME --out plan.json"],
    cause,
  });
}
