/**
 * @file Code from elsewhere, executed apart: without network, and with a file system that it can read
 * but not write, except for its own tree and folders. By bubblewrap, where that is installed and the
 * system lets a user have namespaces.
 *
 * It is no wall against the kernel's own faults, and what the user may read it may read.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";

const COMMAND = "bwrap";
/** Processes, and what they share in memory, are its own; it dies with whoever started it. */
const APART = ["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"];
const ALWAYS = [...APART, "--die-with-parent", "--ro-bind", "/", "/"];
/** Sockets lie under `/run`: of containers, of the desktop, of agents that hold keys. */
const HIDDEN = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
/** What computes, besides the processor. */
const DEVICES = /^(?:nvidia.*|dri|kfd|dxg)$/;
/** Where a socket is told by the environment. */
const SOCKETS = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"];

/** Whether programs can be executed apart here. Tried, as a system may have it and forbid it. */
export function canSandbox(env: NodeJS.ProcessEnv): boolean {
  if (platform() !== "linux") return false;
  const tried = spawnSync(COMMAND, [...ALWAYS, ...HIDDEN, "true"], { env, stdio: "ignore" });
  return tried.status === 0;
}

export interface SandboxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The same command, apart. `writable`: folders, which must be there. */
export function sandboxed(
  { command, args, env }: SandboxedCommand,
  { cwd, writable }: { readonly cwd: string; readonly writable: readonly string[] },
): SandboxedCommand {
  const devices = (existsSync("/dev") ? readdirSync("/dev") : [])
    .filter((name) => DEVICES.test(name))
    .flatMap((name) => ["--dev-bind-try", join("/dev", name), join("/dev", name)]);
  const folders = writable.flatMap((folder) => ["--bind", folder, folder]);
  const agent = env["SSH_AUTH_SOCK"];
  const hidden = agent !== undefined && existsSync(agent) && !agent.startsWith("/run/");
  const socket = hidden ? ["--ro-bind", "/dev/null", agent] : [];
  const flags = [...ALWAYS, ...HIDDEN, ...devices, ...socket, ...folders];
  const own = Object.entries(env).filter(([name]) => !SOCKETS.includes(name));
  return {
    command: COMMAND,
    args: [...flags, "--chdir", cwd, "--", command, ...args],
    env: Object.fromEntries(own),
  };
}
