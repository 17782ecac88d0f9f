/** Prints "N passed, N failed" from vitest's JSON report: the line that closes a test run. */
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const skipped = report.numPendingTests + report.numTodoTests;
// A suite that could not even be loaded has no failed test of its own.
const failed = Math.max(report.numFailedTests, report.success ? 0 : 1);
const tail = skipped === 0 ? "" : `, ${skipped} skipped`;
console.log(`${report.numPassedTests} passed, ${failed} failed${tail}`);
