/**
 * @file How much memory there is for copies of a state: what the system, the control groups of this process (v1 and
 * v2) and its own limits (`ulimit -v` and `-d`, as batch systems set them) still allow. Elsewhere than on Linux
 * nobody is asked.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Bytes; Infinity where nobody says. `root` stands in for that of the file system, in tests. */
export function freeMemoryBytes(root: string = "/"): number {
  const groups = readText(join(root, "proc/self/cgroup")) ?? "";
  const free = groups.split("\n").map((line) => freeInGroup(root, line));
  return Math.min(availableBytes(root), freeInLimits(root), ...free);
}

function availableBytes(root: string): number {
  const text = readText(join(root, "proc/meminfo")) ?? "";
  const [, kibibytes] = /^MemAvailable:\s+(\d+) kB/m.exec(text) ?? [];
  return kibibytes === undefined ? Infinity : Number(kibibytes) * 1024;
}

/** Limits of a process, and what it has of each. */
const LIMITS = { "Max address space": "VmSize", "Max data size": "VmData" };

function freeInLimits(root: string): number {
  const limits = readText(join(root, "proc/self/limits")) ?? "";
  const status = readText(join(root, "proc/self/status")) ?? "";
  const free = Object.entries(LIMITS).map(([limit, used]) => {
    const [, bytes] = new RegExp(`^${limit} +(\\d+) `, "m").exec(limits) ?? [];
    const [, kibibytes] = new RegExp(`^${used}:\\s+(\\d+) kB`, "m").exec(status) ?? [];
    if (bytes === undefined || kibibytes === undefined) return Infinity;
    return Math.max(0, Number(bytes) - Number(kibibytes) * 1024);
  });
  return Math.min(...free);
}

/** Names of the same figures in both versions. What was read from files and can be dropped is free. */
const FILES = {
  v2: { mount: "", max: "memory.max", used: "memory.current", dropped: "inactive_file" },
  v1: {
    mount: "memory",
    max: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    dropped: "total_inactive_file",
  },
};

/** What a group and all around it allow; `line`: of `/proc/self/cgroup`. */
function freeInGroup(root: string, line: string): number {
  const [, controllers, path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  const isMemory = controllers?.split(",").includes("memory") === true;
  if (controllers === undefined || (controllers !== "" && !isMemory)) return Infinity;
  const files = controllers === "" ? FILES.v2 : FILES.v1;
  const mount = join(root, "sys/fs/cgroup", files.mount);
  let free = Infinity;
  // In a container the path may be that of the host: then its own group is at the mount.
  for (let at = join("/", path); ; at = dirname(at)) {
    const folder = join(mount, at);
    const [max, used] = [files.max, files.used].map((name) => bytesOf(join(folder, name)));
    if (max !== undefined && used !== undefined) {
      const stat = readText(join(folder, "memory.stat")) ?? "";
      const [, dropped = "0"] = new RegExp(`^${files.dropped} (\\d+)`, "m").exec(stat) ?? [];
      free = Math.min(free, Math.max(0, max - used + Number(dropped)));
    }
    if (at === "/") return free;
  }
}

/** Undefined where there is no limit. */
function bytesOf(file: string): number | undefined {
  const text = readText(file)?.trim() ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
