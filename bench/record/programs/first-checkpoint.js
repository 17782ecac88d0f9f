// @ts-check
/**
 * @file A process that takes its first checkpoint and some more, and prints how long each blocked
 * it. Arguments: folder, bytes, `prepared` (memory was given time) or `at once`.
 */
import { median } from "../../measure.js";
import { makeTensors, Taker } from "../state.js";

const [folder = "", bytes = "", wait = ""] = process.argv.slice(2);
const taker = new Taker(folder, { tensors: makeTensors(Number(bytes), 100) });
taker.prepare();
if (wait === "prepared") taker.drain();
const first = taker.take().blockedMs;
const later = [];
for (let at = 0; at < 5; at++) {
  taker.drain();
  taker.clear();
  later.push(taker.take().blockedMs);
}
taker.finish();
console.log(JSON.stringify({ first, steady: median(later) }));
