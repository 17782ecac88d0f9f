/**
 * What to run when:
 *
 *   npm run check                     types, lint, format, unused code: half a minute
 *   npm run test:unit                 everything pure, of both languages, from the sources: a minute
 *   npm run test:unit -- planner      only what has this in its path: seconds
 *   npm run dev                       the unit tests that a change concerns, again at each change
 *   npm test                          all that must hold before a change is kept: what CI runs
 *   npm test -- test/crash            the same, with only these test files
 *   npm run test:long                 what is too rare or too slow for every change; goes on where it stopped
 *
 * Where a test file lies says which tier it is in:
 *
 *   src, test/unit   unit: needs no build, no git, no network, and no process but Python's parser
 *   test             integration: real programs, real git, a real disk, the built package
 *   test/ui          the page: `afterlog ui` as a process, and Chromium
 *   test/long        only in `npm run test:long`
 *
 * A test that needs what a machine may lack names it: `test/support/needs.ts`. What is drawn at
 * random, and how much of it, comes from `test/support/draws.ts`.
 */
import { defineConfig } from "vitest/config";
import { Summary } from "./test/support/summary.ts";

// Threads that sources start are started from sources, never from what was built of them once.
const execArgv = ["--import", new URL("test/support/threads.js", import.meta.url).href];
// Before programs under test see it: to them it is the seed of a recording.
process.env["AFTERLOG_TEST_SEED"] =
  process.env["AFTERLOG_SEED"] ?? process.env["AFTERLOG_TEST_SEED"] ?? "1";
delete process.env["AFTERLOG_SEED"];

const setupFiles = ["test/support/set-up.ts"];

export default defineConfig({
  test: {
    // Two cores: the integration tests start real processes, so files run two at a time.
    maxWorkers: 2,
    reporters: ["default", new Summary()],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"],
          // One module graph for all files of a worker: loading it costs more than most files do.
          isolate: false,
          testTimeout: process.env["AFTERLOG_TEST_COUNT"] === undefined ? 120_000 : 3_600_000,
          setupFiles,
          execArgv,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: ["test/unit/**", "test/ui/**", "test/long/**"],
          // As for the units; a test file must leave the environment as it found it.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          setupFiles,
          execArgv,
        },
      },
      {
        test: {
          name: "ui",
          include: ["test/ui/**/*.test.ts"],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
          setupFiles,
          execArgv,
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          setupFiles,
          execArgv,
        },
      },
    ],
  },
});
