/** Maps that run in threads: the same batches, errors that name the item, a process that ends. */
import { describe, expect, test } from "vitest";
import type { Finished } from "../support/process.ts";
import { TestProject } from "../support/project.ts";

const AUGMENT = `
import { isMainThread } from "node:worker_threads";
export const augment = (x, { random, epoch }) => [x, epoch, random.next(), random.normal()];
export const slow = async (x) => {
  await new Promise((done) => setTimeout(done, (x * 7) % 5));
  return x;
};
export const strict = (x) => { if (x === 13) throw new RangeError("unlucky"); return isMainThread; };
export const fatal = (x) => { if (x === 13) process.exit(3); return x; };
export const secret = () => () => 1;
export const sums = (batch, { random, items }) => [batch.length, items.length, random.next()];
export const notAFunction = 1;
`;

const HEAD = `
import * as al from "afterlog";
const named = (name) => ({ module: new URL("./augment.mjs", import.meta.url), name });
const all = async (data) => { const found = []; for await (const x of data) found.push(x); return found; };
const say = (value) => console.log(JSON.stringify(value));
`;

async function run(text: string): Promise<Finished & { readonly said: unknown[] }> {
  using project = new TestProject({ "main.mjs": HEAD + text, "augment.mjs": AUGMENT });
  const env = { AFTERLOG_MODE: "off" };
  const finished = await project.start(["main.mjs"], env).finished;
  const lines = finished.stdout.split("\n").filter((line) => line !== "");
  return { ...finished, said: lines.map((line) => JSON.parse(line) as unknown) };
}

describe("threads", () => {
  test("give the same batches whatever their number, and the state is exact", async () => {
    const { said, stderr } = await run(`
      import { augment, sums } from "./augment.mjs";
      const base = al.dataset(50).shuffle(3);
      const alone = base.map(augment).batch(8).map((batch) => batch);
      say([[...alone], [...alone]]);
      for (const workers of [1, 4]) {
        const data = base.map(named("augment"), { workers }).batch(8).map((batch) => batch);
        say([await all(data), await all(data)]);
      }
      const resumed = base.map(named("augment"), { workers: 4 }).batch(8);
      const states = [];
      resumed.restore({ ...resumed.state(), epoch: 1, sample: 40 });
      const iterator = resumed[Symbol.asyncIterator]();
      states.push(resumed.state().sample);
      await iterator.next();
      states.push(resumed.state().sample);
      await iterator.next();
      states.push(resumed.state().sample, resumed.state().epoch);
      say(states);
      const batches = base.batch(20);
      say(JSON.stringify([...batches.map(sums)]) ===
        JSON.stringify(await all(batches.map(named("sums"), { workers: 2 }))));
    `);
    expect(stderr).toBe("");
    const [alone, one, four, states, sums] = said;
    expect(one).toEqual(alone);
    expect(four).toEqual(alone);
    expect(states).toEqual([40, 48, 50, 1]);
    expect(sums).toBe(true);
  });

  test("batches come in order though items take different times", async () => {
    const { said } = await run(`
      say(await all(al.dataset(12).map(named("slow"), { workers: 3, prefetch: 5 }).batch(2)));
    `);
    expect(said).toEqual([Array.from({ length: 6 }, (_, at) => [2 * at, 2 * at + 1])]);
  });

  test.each([
    ["strict", "map failed on item 13: unlucky", "RangeError: unlucky"],
    [
      "fatal",
      "map failed on a batch that begins with item 12: the thread ended",
      "Error: the thread",
    ],
    [
      "secret",
      "map failed on a batch that begins with item 0: DataCloneError",
      "could not be cloned",
    ],
    ["notAFunction", 'exports no function "notAFunction"', "TypeError"],
    ["missing", 'exports no function "missing"', "TypeError"],
  ])("%s fails, and says where", async (name, message, cause) => {
    const { said, code } = await run(`
      const data = al.dataset(30).map(named("${name}"), { workers: 2 }).batch(4);
      try { await all(data); } catch (error) {
        say([error.code, error.message, String(error.cause), data.state().sample]);
      }
    `);
    const [[code063, text, why, sample] = []] = said as unknown[][];
    expect(code).toBe(0);
    expect(code063).toBe("AL063");
    expect(text).toContain(message.replace("DataCloneError", ""));
    expect(why).toContain(cause);
    expect(sample).toBe(/item 1[23]/.test(message) ? 12 : 0);
  });

  test("the process ends by itself, also when a loop was left with work under way", async () => {
    const { code, said } = await run(`
      const data = al.dataset(100).map(named("slow"), { workers: 2 }).batch(2);
      for await (const batch of data) { say(batch); break; }
      data.allocate({ cpus: 1 });
      for await (const batch of data) { say(batch); break; }
      await data.close();
      say(data.stats().batches);
    `);
    expect(code).toBe(0);
    expect(said).toEqual([[0, 1], [2, 3], 2]);
  });
});
