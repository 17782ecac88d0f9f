/**
 * @file A reporter of vitest that leaves what `scripts/tests.js` adds up, as JSON in the file that
 * AFTERLOG_TEST_SUMMARY names; without that it says nothing.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const file = process.env["AFTERLOG_TEST_SUMMARY"];
    if (file === undefined) return;
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const notPossible: { [reason: string]: number } = {};
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      // A file that could not even be loaded has no failed test of its own.
      if (!module.ok() && tests.every((test) => test.ok())) counts.failed++;
      for (const test of tests) {
        const reason = reasonOf(test);
        if (reason !== undefined) notPossible[reason] = (notPossible[reason] ?? 0) + 1;
        else counts[stateOf(test)]++;
      }
    }
    const failures = modules.flatMap((module) => failuresOf(module));
    const files = modules.flatMap((module) => {
      const { processorSeconds } = module.meta();
      const name = module.relativeModuleId;
      return processorSeconds === undefined ? [] : [{ file: name, processorSeconds }];
    });
    writeFileSync(file, JSON.stringify({ ...counts, notPossible, failures, files }));
  }
}

/** Which tests failed; without a name, the file itself could not be run. */
function failuresOf(module: TestModule): { file: string; project: string; name?: string }[] {
  const where = { file: module.relativeModuleId, project: module.project.name };
  const names = [...module.children.allTests("failed")].map(wholeName);
  if (names.length === 0) return module.ok() ? [] : [where];
  return names.map((name) => ({ ...where, name }));
}

/** As `vitest -t` matches it: the names of its groups and its own, with blanks between them. */
function wholeName(test: TestCase): string {
  const names: string[] = [];
  let task: TestCase | TestSuite | TestModule = test;
  for (; task.type !== "module"; task = task.parent) names.unshift(task.name);
  return names.join(" ");
}

function stateOf(test: TestCase): "passed" | "failed" | "skipped" {
  const { state } = test.result();
  return state === "pending" ? "skipped" : state;
}

/** Why this machine cannot run a test: said of it, or of a group that it is in. */
function reasonOf(test: TestCase): string | undefined {
  let task: TestCase | TestSuite | TestModule = test;
  while (task.type !== "module") {
    const { notPossible } = task.meta();
    if (notPossible !== undefined) return notPossible;
    task = task.parent;
  }
  return undefined;
}
