/**
 * @file The pager of a terminal: `$PAGER`, or `less`, which ends by itself where all fits the screen, keeps what it
 * showed, and lets colours through.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../../host/index.ts";

/** What the shell answers if there is no such command. */
const NOT_FOUND = 127;

/** Shows a text in the pager until the person leaves it; answers whether there is a pager. */
export async function showInPager(text: string, env: Environment): Promise<boolean> {
  const command = env["PAGER"] ?? "less";
  if (command.trim() === "" || command.trim() === "cat") return false;
  // As git does: what the person has set for `less` stands.
  const pager = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", LV: "-c", ...env },
  });
  // Ctrl-C is for the pager; whoever leaves it early closes the pipe.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  pager.stdin.on("error", ignore);
  try {
    pager.stdin.end(text);
    const [code] = (await once(pager, "close")) as [number | null];
    return code !== NOT_FOUND;
  } catch {
    return false;
  } finally {
    process.off("SIGINT", ignore);
  }
}
