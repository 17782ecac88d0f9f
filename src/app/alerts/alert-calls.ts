/**
 * @file The commands that alerts call. They are in the user's own configuration, for a project by its
 * folder: a project that was cloned or copied has alerts, but no commands (decision 0110).
 */
import { AfterlogError } from "../../format/index.ts";
import type { Ports } from "../ports.ts";
import { readUserFile, userFile, writeUserFile } from "../user-file.ts";

interface AlertCall {
  readonly store: string;
  readonly alert: string;
  /** Of another condition of this name it is not called. */
  readonly condition: string;
  /** For a shell. */
  readonly call: string;
}

type Env = Ports["env"];
type Called = Pick<AlertCall, "store" | "alert" | "condition">;

export function callOf(env: Env, { store, alert, condition }: Called): string | null {
  const found = readCalls(env).find((one) => isOf(one, store, alert));
  return found?.condition === condition ? found.call : null;
}

/** `call`: null takes it away. */
export function changeCall(
  env: Env,
  { store, alert, condition }: Called,
  call: string | null,
): void {
  const all = readCalls(env);
  const others = all.filter((one) => !isOf(one, store, alert));
  if (call === null && others.length === all.length) return;
  const own = call === null ? [] : [{ store, alert, condition, call }];
  writeUserFile(userFile(env, "alerts.json"), { v: 1, calls: [...others, ...own] });
}

function isOf(one: AlertCall, store: string, alert: string): boolean {
  return one.store === store && one.alert === alert;
}

function readCalls(env: Env): AlertCall[] {
  const file = userFile(env, "alerts.json");
  const text = readUserFile(file);
  if (text === undefined) return [];
  try {
    const { calls } = JSON.parse(text) as { readonly calls: readonly AlertCall[] };
    return calls.filter(({ call }) => typeof call === "string");
  } catch {
    throw new AfterlogError("AL008", `${file} cannot be read: no alert calls a command`, {
      help: ["remove it, and add the alerts with --call again"],
      data: { file },
    });
  }
}
