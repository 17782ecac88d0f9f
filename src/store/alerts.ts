/** @file `alerts.jsonl`: the alerts of a store, appended to line by line, and the process that looks for them. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Alert, AlertLine } from "../format/index.ts";
import { DIRECTIVE_VARIABLE, foldAlerts } from "../format/index.ts";
import { nodePath, ownEnvironment } from "../host/index.ts";
import { appendLines, textOf } from "./annotations.ts";
import type { Project } from "./project.ts";
import { storePaths } from "./store-paths.ts";

export function readAlerts(store: string): Alert[] {
  return foldAlerts(textOf(storePaths.alerts(store)));
}

/** Says what an alert is from now on; null: it is gone. */
export function writeAlert(store: string, alert: string, now: Alert | null, atMs: number): void {
  const file = storePaths.alerts(store);
  // Not only by the clock, which may have been set back.
  const times = [...textOf(file).matchAll(/"at":(\d+)/g)].map(([, at]) => Number(at));
  const at = Math.max(atMs, ...times.map((time) => time + 1));
  const { condition = null, armed = false } = now ?? {};
  const line: AlertLine = { v: 1, at, alert, condition, armed };
  appendLines(store, file, [JSON.stringify(line)]);
}

const COMMAND = fileURLToPath(new URL("../cli/main.js", import.meta.url));

/**
 * Starts the process that holds a run to the armed alerts; nothing if none is armed. `output`: where it says
 * that one has fired. Nothing that goes wrong with it is the run's.
 */
export function watchForAlerts(
  { root, store }: Project,
  run: string,
  output: "inherit" | "pipe",
): ChildProcess | undefined {
  try {
    if (!readAlerts(store).some(({ armed }) => armed)) return undefined;
    // Without what makes a process of this one's program.
    const { NODE_OPTIONS: _, [DIRECTIVE_VARIABLE]: __, ...own } = ownEnvironment;
    const child = spawn(nodePath, [COMMAND, "-C", root, "alert", "watch", run], {
      env: { ...own, AFTERLOG_DIR: store },
      stdio: ["ignore", "ignore", output],
      // Ctrl-C is for the program; what it did last is looked at all the same.
      detached: true,
    });
    child.on("error", () => undefined);
    child.unref();
    return child;
  } catch {
    return undefined;
  }
}
