/**
 * @file Loaded before every worker of the tests: a thread that a source starts is TypeScript too,
 * which Node 20 does not read by itself. Tests themselves are transformed by vitest.
 */
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (!isMainThread) register("./strip-types.js", import.meta.url);
