/** @file A recorded run that took long, without the wait. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "./project.ts";

/** So that a plan finds it worth to cut the work: each iteration took long, says the profile. */
export function slowDown(project: TestProject): void {
  changeTimes(project, (_, ms) => ms * 1e4 + 1000);
}

/** The same, and each as long as any other, besides the loops in it. */
export function slowDownAlike(project: TestProject): void {
  changeTimes(project, (field) => (field === "head" ? 2000 : 0));
}

function changeTimes({ run }: TestProject, timeOf: (field: string, ms: number) => number): void {
  const profile = join(run, "profile.jsonl");
  const lines = readFileSync(profile, "utf8").trim().split("\n");
  const slow = lines.map((line) => {
    const record = JSON.parse(line) as { [field: string]: unknown };
    if (record["k"] !== "iterations") return line;
    const times = Object.entries(record).map(([field, value]) => {
      const isTime = field === "next" || field === "head" || field === "inner" || field === "tail";
      return [field, isTime ? (value as number[]).map((ms) => timeOf(field, ms)) : value];
    });
    return JSON.stringify(Object.fromEntries(times));
  });
  writeFileSync(profile, `${slow.join("\n")}\n`);
}
