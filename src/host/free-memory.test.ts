import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { freeMemoryBytes } from "./free-memory.ts";

const MEMINFO = "MemTotal:       16000 kB\nMemFree:        100 kB\nMemAvailable:   8000 kB\n";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max data size             3000000              unlimited            bytes
Max address space         unlimited            unlimited            bytes
`;

test.each<[string, { readonly [file: string]: string }, number]>([
  ["nobody says", {}, Infinity],
  ["the system", { "proc/meminfo": MEMINFO }, 8000 * 1024],
  [
    "a group of version 2, less what can be dropped",
    {
      "proc/meminfo": MEMINFO,
      "proc/self/cgroup": "0::/jobs/train\n",
      "sys/fs/cgroup/jobs/train/memory.max": "5000000\n",
      "sys/fs/cgroup/jobs/train/memory.current": "3000000\n",
      "sys/fs/cgroup/jobs/train/memory.stat": "anon 2000000\ninactive_file 500000\n",
      "sys/fs/cgroup/jobs/memory.max": "max\n",
      "sys/fs/cgroup/jobs/memory.current": "9000000\n",
    },
    2_500_000,
  ],
  [
    "the group around it",
    {
      "proc/meminfo": MEMINFO,
      "proc/self/cgroup": "0::/jobs/train\n",
      "sys/fs/cgroup/jobs/train/memory.max": "max\n",
      "sys/fs/cgroup/jobs/train/memory.current": "3000000\n",
      "sys/fs/cgroup/jobs/memory.max": "4000000\n",
      "sys/fs/cgroup/jobs/memory.current": "3500000\n",
    },
    500_000,
  ],
  [
    "a group of version 1, in a container: the path is that of the host",
    {
      "proc/meminfo": MEMINFO,
      "proc/self/cgroup": "12:cpu,cpuacct:/docker/a1\n9:memory:/docker/a1\n0::/docker/a1\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000\n",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "1900000\n",
      "sys/fs/cgroup/memory/memory.stat": "cache 1\ntotal_inactive_file 50000\n",
    },
    150_000,
  ],
  [
    "no limit of version 1",
    {
      "proc/meminfo": MEMINFO,
      "proc/self/cgroup": "9:memory:/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "1900000\n",
    },
    8000 * 1024,
  ],
  [
    "a limit of the process",
    {
      "proc/meminfo": MEMINFO,
      "proc/self/limits": LIMITS,
      "proc/self/status": "Name:\tnode\nVmSize:\t  900000 kB\nVmData:\t    2000 kB\n",
    },
    3_000_000 - 2000 * 1024,
  ],
  [
    "a limit that was set behind what is used",
    {
      "proc/self/limits": LIMITS.replace(/(?<=address space +)unlimited/, "4000000"),
      "proc/self/status": "VmSize:\t  900000 kB\nVmData:\t    2000 kB\n",
    },
    0,
  ],
])("%s", (_, files, expected) => {
  const root = mkdtempSync(join(tmpdir(), "afterlog-memory-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect(freeMemoryBytes(root)).toBe(expected);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
