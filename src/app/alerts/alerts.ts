/** @file Alerts of a project: conditions on what is logged, which later runs are held to while they train. */
import { readFired } from "../../catalog/index.ts";
import type { Alert } from "../../format/index.ts";
import { AfterlogError, alertProblem, isCondition, nearestName } from "../../format/index.ts";
import { readAlerts, writeAlert } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { callOf, changeCall } from "./alert-calls.ts";

/** An alert, as JSON. */
export interface AlertReport extends Alert {
  /** The command that it calls; null: none. */
  readonly call: string | null;
  /** What it was before; null: it is new. */
  readonly before: Alert | null;
  /** Names that it mentions and that no run has logged yet. */
  readonly missing: readonly string[];
}

export interface AddRequest {
  readonly alert: string;
  readonly condition: string;
  readonly call?: string | undefined;
  readonly armed: boolean;
}

export function listAlerts(ports: Ports): (Alert & Pick<AlertReport, "call">)[] {
  const { store } = requireProject(ports);
  return readAlerts(store).map((one) => ({ ...one, call: callOf(ports.env, { store, ...one }) }));
}

/** Adds it, or changes what it is. Throws AL009, AL020. */
export async function addAlert(ports: Ports, request: AddRequest): Promise<AlertReport> {
  const { alert, condition, call = null, armed } = request;
  const problem = alertProblem(alert);
  if (problem !== undefined) throw cannotBe(alert, problem);
  if (!isCondition(condition))
    throw cannotBe(alert, "its condition is longer than 2,000 characters");
  const { missing } = await withCatalog(ports, ({ connection }) =>
    readFired(connection, condition),
  );
  const { store } = requireProject(ports);
  const before = readAlerts(store).find((one) => one.alert === alert) ?? null;
  changeCall(ports.env, { store, alert, condition }, call);
  writeAlert(store, alert, { alert, condition, armed }, ports.now().getTime());
  return { alert, condition, armed, call, before, missing };
}

/** Whether runs that begin from now on are held to it. Throws AL039. */
export function armAlert(ports: Ports, alert: string, armed: boolean): AlertReport {
  const { store } = requireProject(ports);
  const before = findAlert(ports, alert);
  const now = { ...before, armed };
  if (before.armed !== armed) writeAlert(store, alert, now, ports.now().getTime());
  return { ...now, call: callOf(ports.env, { store, ...now }), before, missing: [] };
}

/** Takes it away, and its command with it. Throws AL039. */
export function removeAlert(ports: Ports, alert: string): AlertReport {
  const { store } = requireProject(ports);
  const before = findAlert(ports, alert);
  const call = callOf(ports.env, { store, ...before });
  changeCall(ports.env, { store, ...before }, null);
  writeAlert(store, alert, null, ports.now().getTime());
  return { ...before, call, before, missing: [] };
}

/** Throws AL039. */
export function findAlert(ports: Ports, alert: string): Alert {
  const all = readAlerts(requireProject(ports).store);
  const found = all.find((one) => one.alert === alert);
  if (found) return found;
  const close = nearestName(
    alert,
    all.map((one) => one.alert),
  );
  throw new AfterlogError("AL039", `there is no alert ${JSON.stringify(alert)}`, {
    notes: all.length === 0 ? ["there is none at all"] : [`there are: ${namesOf(all)}`],
    help: [
      close === undefined
        ? `add it:  afterlog alert add NAME "f1 < 0.4"`
        : `did you mean ${close}?`,
    ],
    data: { alert },
  });
}

function namesOf(all: readonly Alert[]): string {
  return all.map(({ alert }) => alert).join(", ");
}

function cannotBe(alert: string, problem: string): AfterlogError {
  return new AfterlogError("AL009", `${JSON.stringify(alert)} cannot be an alert: ${problem}`, {
    help: [
      'a name is one word, and stands before the condition:  afterlog alert add low_f1 "f1 < 0.4"',
    ],
    data: { alert },
  });
}
