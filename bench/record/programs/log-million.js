// @ts-check
/**
 * @file Logs `records` numbers, a hundred in each step, and prints microseconds a record: by the
 * clock, of this thread's processor time, of all threads; and of a step that logs once.
 */
import { readFileSync } from "node:fs";
// @ts-ignore: found by the loader of `afterlog run`
import * as al from "afterlog";

const records = al.arg("records", 1_000_000);
const EPOCHS = 10;
const LOGS = 100;
const steps = records / EPOCHS / LOGS;
const STEPS_OF_ONE = 50_000;

const threadMs = () =>
  Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
const processMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** @param {number} count */
function stringify(count) {
  let length = 0;
  const started = threadMs();
  for (let at = 0; at < count; at++) {
    const path = [
      ["epoch", at % EPOCHS],
      ["step", at],
    ];
    const t = Math.round(performance.now() * 1000);
    length += JSON.stringify({
      k: "log",
      seq: at,
      path,
      name: "loss",
      site: 1,
      value: 1 / (at + 3),
      t,
    }).length;
  }
  return length === 0 ? NaN : threadMs() - started;
}

stringify(10_000);
const calibrated = [stringify(records / 4)];
const before = { thread: threadMs(), process: processMs() };
let wallMs = 0;
for (const epoch of al.loop("epoch", al.range(EPOCHS))) {
  for (const step of al.loop("step", al.range(steps))) {
    const started = performance.now();
    for (let at = 0; at < LOGS; at++) al.log("loss", 1 / (epoch + step + at + 3));
    wallMs += performance.now() - started;
  }
}
const after = { thread: threadMs(), process: processMs() };
calibrated.push(stringify(records / 4));

const started = performance.now();
for (const step of al.loop("single", al.range(STEPS_OF_ONE))) al.log("loss", 1 / (step + 3));
const stepMs = performance.now() - started;

console.log(
  JSON.stringify({
    wall: (wallMs * 1000) / records,
    thread: ((after.thread - before.thread) * 1000) / records,
    process: ((after.process - before.process) * 1000) / records,
    stringify: (Math.min(...calibrated) * 1000) / (records / 4),
    step: (stepMs * 1000) / STEPS_OF_ONE,
  }),
);
