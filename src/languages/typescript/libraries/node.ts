/**
 * @file Node's own modules. They change nothing of the program's, except buffers that are read
 * into; functions that they are given run later.
 */
import type { Effect, Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

/** A file, a stream, a hash: an object that only its own methods change. */
const HANDLE: Effect = {
  makes: "opaque",
  path: "handle",
  holds: ["self"],
  calls: [["self"], ["self"]],
  when: "later",
};
const FILLS =
  /(?:^|\.)(?:read|readSync|readv|readvSync|randomFillSync|randomFill|getRandomValues)$/;
const SYNC_CALLERS = /^(?:rejects|throws|doesNotThrow|doesNotReject|runInContext|run)$/;
const BYTES =
  /^(?:readFileSync|gunzipSync|gzipSync|inflateSync|deflateSync|brotliDecompressSync|brotliCompressSync|unzipSync|randomBytes|pbkdf2Sync|scryptSync)$/;
/** Answers with a text, a number, or a list of them. */
const LISTS = /^(?:readdirSync|statSync|lstatSync|cpus|networkInterfaces|parse|format)$/;
const PLAIN =
  /^(?:assert|ok|equal|strictEqual|deepEqual|deepStrictEqual|notEqual|match|fail|strict|default|join|resolve|dirname|basename|extname|relative|isAbsolute|normalize|fileURLToPath|pathToFileURL|existsSync|writeFileSync|appendFileSync|mkdirSync|mkdtempSync|rmSync|unlinkSync|renameSync|copyFileSync|openSync|closeSync|writeSync|fsyncSync|inspect|randomInt|randomUUID|now|tmpdir|hostname|platform|totalmem|freemem|availableParallelism)$/;

export const NODE: Library = {
  call(path) {
    const name = path.slice(path.lastIndexOf(".") + 1) || path;
    if (FILLS.test(path)) return { ...HANDLE, mutates: ["arguments"], returns: ["first"] };
    if (SYNC_CALLERS.test(name)) return { calls: [[]], makes: "promise", holds: ["results"] };
    if (BYTES.test(name)) return { makes: "typed", path: "slices" };
    if (LISTS.test(name)) return { makes: "opaque", path: "data", holds: ["self"] };
    if (PLAIN.test(name) || path === "") return { makes: "date" };
    if (/^EventEmitter$|^(?:Readable|Writable|Transform|Duplex)$/.test(name)) return undefined;
    return HANDLE;
  },
  method(kind, name) {
    if (kind !== "handle") return undefined;
    if (/^(?:read|readv)$/.test(name)) return { ...HANDLE, mutates: ["receiver", "arguments"] };
    const reads = /^(?:toString|digest|hasRef|ref|unref|isFile|isDirectory)$/.test(name);
    return reads ? NOTHING : { ...HANDLE, mutates: ["receiver"] };
  },
};
