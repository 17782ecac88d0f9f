/**
 * @file Runs before the program under `afterlog run`, and in the threads and forked processes that
 * inherit its flags: lets Node 20 load TypeScript there. The run begins in the process that got the
 * directive, and only there.
 *
 * Where the loaders are stands in this module's own address, since flags are all that is inherited.
 */
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";
import { DIRECTIVE_VARIABLE } from "../format/index.ts";

interface RequireModule {
  readonly installRequire: (options: {
    readonly afterlog: string;
    readonly loaded: (file: string, bytes: Buffer) => void;
    readonly sources: object | null;
  }) => void;
}

const { searchParams } = new URL(import.meta.url);
const hooks = searchParams.get("hooks") ?? "";
const afterlog = new URL("./index.js", import.meta.url).href;
// The SDK is imported for a recording only: it seeds Math.random.
const recording =
  isMainThread && process.env[DIRECTIVE_VARIABLE] !== undefined
    ? (await import("./recorded-process.ts")).sourcesOfRun()
    : undefined;
register(hooks, {
  data: { afterlog, sources: recording?.forLoader ?? null },
  transferList: recording ? [recording.forLoader.port] : [],
});
const { installRequire } = (await import(searchParams.get("require") ?? "")) as RequireModule;
installRequire({
  afterlog,
  loaded: recording?.loaded ?? ((): void => undefined),
  sources: recording?.rewritten ?? null,
});
process.setSourceMapsEnabled(true);
recording?.begin();
