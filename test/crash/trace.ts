/**
 * @file What a process did to the disk, as strace saw it: opens, names, writes and syncs, each with
 * the lines of the trace at which it began and had ended. Other threads do theirs in between.
 */
import { readFileSync } from "node:fs";

/** One call that succeeded. */
export type Call = { readonly begun: number; readonly ended: number } & (
  | {
      readonly kind: "open";
      readonly path: string;
      readonly makes: boolean;
      readonly empties: boolean;
    }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | { readonly kind: "unlink"; readonly path: string }
  /** Without a position: at the end, as files for appending are written. */
  | {
      readonly kind: "write";
      readonly path: string;
      readonly at: number | undefined;
      readonly bytes: Buffer;
    }
  | { readonly kind: "truncate"; readonly path: string; readonly bytes: number }
  /** Of a file's bytes, or of the names in a folder. */
  | { readonly kind: "sync"; readonly path: string }
);

const CALLS =
  "openat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,write,pwrite64,ftruncate,fsync,fdatasync";
/** No write of a test is longer. */
const BYTES_MAX = 1 << 20;

/** The words before a command that make it leave a trace in `file`. */
export function traced(file: string): string[] {
  return ["-f", "-y", "-xx", "-s", String(BYTES_MAX), "-e", `trace=${CALLS}`, "-o", file];
}

/** The calls that concern files in `folder`, in the order in which they began. */
export function readTrace(file: string, folder: string): Call[] {
  const begun = new Map<string, { readonly text: string; readonly line: number }>();
  const calls: Call[] = [];
  for (const [line, text] of readFileSync(file, "utf8").split("\n").entries()) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(text) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest);
    if (unfinished) {
      begun.set(thread, { text: unfinished[1] ?? "", line });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const first = resumed ? begun.get(thread) : undefined;
    const call = parseCall(`${first?.text ?? ""}${resumed ? resumed[1] : rest}`);
    if (call && isIn(call.path, folder)) {
      calls.push({ ...call, begun: first?.line ?? line, ended: line });
    }
  }
  return calls.toSorted((a, b) => a.begun - b.begun);
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

type Parsed = Call extends infer C ? (C extends Call ? Omit<C, "begun" | "ended"> : never) : never;

function parseCall(text: string): Parsed | undefined {
  const [, name = "", args = "", result = "-1"] = /^(\w+)\((.*)\) += (-?\d+)/.exec(text) ?? [];
  if (Number(result) < 0) return undefined;
  const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.{3})?/g)];
  if (texts.some(([, , cut]) => cut !== undefined)) throw new Error(`cut off: ${name}`);
  const [path = "", to = ""] = texts.map(([, hex = ""]) => unescape(hex).toString());
  const opened = unescape(/^\d+<((?:\\x[0-9a-f]{2})*)>/.exec(args)?.[1] ?? "").toString();
  const last = Number(/, (\d+)$/.exec(args)?.[1] ?? NaN);
  switch (name) {
    case "openat":
      return { kind: "open", path, makes: /O_CREAT/.test(args), empties: /O_TRUNC/.test(args) };
    case "mkdir":
    case "mkdirat":
      return { kind: "folder", path };
    case "rename":
    case "renameat":
    case "renameat2":
      return { kind: "rename", path, to };
    case "link":
    case "linkat":
      return { kind: "link", path, to };
    case "unlink":
    case "unlinkat":
      return { kind: "unlink", path };
    case "write":
    case "pwrite64": {
      const bytes = unescape(texts[0]?.[1] ?? "").subarray(0, Number(result));
      return { kind: "write", path: opened, at: name === "write" ? undefined : last, bytes };
    }
    case "ftruncate":
      return { kind: "truncate", path: opened, bytes: last };
    case "fsync":
    case "fdatasync":
      return { kind: "sync", path: opened };
    default:
      return undefined;
  }
}

function unescape(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}
