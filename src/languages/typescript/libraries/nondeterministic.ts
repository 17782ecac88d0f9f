/**
 * @file What answers otherwise each time it is asked: clocks, entropy, ids, facts of the process, the
 * network. Paths are those of `lookup.ts`: `global|Date.now`, `crypto|randomInt`, `uuid|v4`.
 */

/** A part of each, to see from a text alone that it has none of them. */
export const MENTIONED: RegExp =
  /\b(?:Date|performance|crypto|process|perf_hooks|os|worker_threads|v8|fetch|WebSocket|XMLHttpRequest|mkdtemp\w*|https?2?|net|tls|dgram|dns|inspector)\b|\b(?:uuid|nanoid|ulid|cuid2?|short-uuid|dayjs|moment|luxon|node-fetch|axios|got|ky|undici|ws|systeminformation|pidusage|lodash|ramda|remeda|simple-statistics|d3-\w+|ml-matrix)/;

const SOURCES: readonly RegExp[] = [
  /^global\|(?:Date\.now|performance\.\w+|crypto\.(?:getRandomValues|randomUUID)|fetch|WebSocket|XMLHttpRequest)(?:\.|$)/,
  /^(?:global\|process\.|process\|)(?:pid|ppid|hrtime|uptime|memoryUsage|cpuUsage|resourceUsage|constrainedMemory|availableMemory|report)(?:\.|$)/,
  /^crypto\|(?:random\w+|getRandomValues|generate\w+|webcrypto|createECDH|createDiffieHellman\w*)(?:\.|$)/,
  /^perf_hooks\|/,
  /^os\|(?:uptime|loadavg|freemem|networkInterfaces|cpus)$/,
  /^worker_threads\|threadId$/,
  /^v8\|getHeap\w+$/,
  /^fs(?:\/promises)?\|(?:promises\.)?mkdtemp(?:Sync)?$/,
  /^(?:https?|http2|net|tls|dgram|dns|inspector)(?:\/promises)?\|/,
  /^(?:uuid|nanoid|ulid|ulidx|cuid|@paralleldrive\/cuid2|short-uuid|dayjs|moment|luxon|node-fetch|axios|got|ky|undici|ws|systeminformation|pidusage)(?:\/[^|]*)?\|/,
];

/** Whether what stands at a path, or what it gives, is another one each time. */
export function isNondeterministic(path: string): boolean {
  return SOURCES.some((source) => source.test(path));
}

/** `new Date()` and `Date()` read the clock; `new Date(2026, 1)` does not. */
export function readsClock(path: string, args: number, how: "call" | "new"): boolean {
  return path === "global|Date" && (args === 0 || how === "call");
}

/** They fill their first argument. */
export const FILLED_AT_RANDOM: RegExp = /\|(?:\w+\.)*(?:getRandomValues|randomFill(?:Sync)?)$/;

/** Methods that show what they are given, and keep nothing of it for the program. */
export const SHOWING: ReadonlySet<string> = new Set(
  "log info debug warn error trace write print".split(" "),
);
