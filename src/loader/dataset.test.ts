/** What datasets are made of, and what they refuse. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DataState } from "./index.ts";
import { datasetMaker } from "./index.ts";

const dataset = datasetMaker({ made: () => undefined, moved: () => undefined });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* letters(): AsyncGenerator<string> {
  yield* ["a", "b", "c", "d", "e"];
}
const stream = { [Symbol.asyncIterator]: letters };

describe("items", () => {
  test("are in the order of the array, the numbers, or the typed array", () => {
    expect([...dataset(["x", "y", "z"])]).toEqual(["x", "y", "z"]);
    expect([...dataset(3)]).toEqual([0, 1, 2]);
    expect([...dataset(new Float32Array([0.5, 2])).batch(2)]).toEqual([[0.5, 2]]);
    expect([...dataset([])]).toEqual([]);
  });

  test("each step makes another dataset, with a position of its own", () => {
    const base = dataset(6);
    const shuffled = base.shuffle(1);
    expect([...shuffled.batch(6)][0]).toEqual([...shuffled]);
    expect([...base]).toEqual([0, 1, 2, 3, 4, 5]);
    expect(shuffled.batch(6).state()).toMatchObject({ epoch: 0, sample: 0 });
  });

  test("a map before batch has items, one after batch has batches", () => {
    const data = dataset(4)
      .map((item, { index }) => item * 10 + index)
      .batch(2)
      .map((batch, { items }) => [batch, items.map(({ index }) => index)]);
    expect([...data]).toEqual([
      [
        [0, 11],
        [0, 1],
      ],
      [
        [22, 33],
        [2, 3],
      ],
    ]);
  });

  test("two maps draw different numbers, and so do a batch and its first item", () => {
    const data = dataset(1, { seed: 3 })
      .map((_, { random }) => random.next())
      .map((first, { random }) => [first, random.next()])
      .batch(1)
      .map(([pair], { random, items }) => [
        ...(pair ?? []),
        random.next(),
        items[0]?.random.next(),
      ]);
    const [drawn] = [...data];
    expect(new Set(drawn).size).toBe(4);
    expect(drawn).toHaveLength(4);
  });

  test("length is the number of batches", () => {
    expect(dataset(10).batch(3).length).toBe(4);
    expect(dataset(10).batch(3, { dropLast: true }).length).toBe(3);
    expect(dataset(10).length).toBe(10);
    expect(dataset(stream).length).toBeUndefined();
  });

  test("two loops over one dataset are refused", () => {
    const data = dataset(4);
    const first = data[Symbol.iterator]();
    first.next();
    const second = data[Symbol.iterator]();
    expect(second.next().value).toBe(1);
    expect(() => first.next()).toThrow("another loop");
  });

  test("calls that do not wait for each other get batches in order", async () => {
    const data = dataset(3).map(async (item) => item);
    const iterator = data[Symbol.asyncIterator]();
    const results = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    expect(results.map(({ value }) => value as number)).toEqual([0, 1, 2]);
  });
});

describe("a stream", () => {
  test("goes through its items again in each epoch, and is resumed by reading", async () => {
    const data = dataset(stream).batch(2);
    const whole = [["a", "b"], ["c", "d"], ["e"]];
    expect(await all(data)).toEqual(whole);
    expect(await all(data)).toEqual(whole);
    data.restore({ ...data.state(), epoch: 5, sample: 2 });
    expect(await all(data)).toEqual(whole.slice(1));
    expect(data.state()).toMatchObject({ epoch: 6, sample: 0 });
  });

  test("that is left early is closed, and goes on from there", async () => {
    let closed = 0;
    async function* counted(): AsyncGenerator<string> {
      try {
        yield* letters();
      } finally {
        closed++;
      }
    }
    const data = dataset({ [Symbol.asyncIterator]: counted }).map(async (item) => item, {
      prefetch: 1,
    });
    for await (const item of data) if (item === "b") break;
    expect(closed).toBe(1);
    expect(await all(data)).toEqual(["c", "d", "e"]);
  });

  test("that can be read once says so in its second epoch", async () => {
    const data = dataset(letters());
    expect(await all(data)).toHaveLength(5);
    await expect(all(data)).rejects.toThrow("only once");
  });

  test("that is shorter than its position is refused", async () => {
    const data = dataset(stream);
    data.restore({ ...data.state(), sample: 9 });
    await expect(all(data)).rejects.toThrow("ended after 5 of 9");
  });

  test("can be shuffled once it is in memory", async () => {
    expect(() => dataset(stream).shuffle(1)).toThrow("cannot be shuffled");
    const data = (await dataset.collect(stream)).shuffle(1);
    expect([...data].toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });
});

describe("tf.data", () => {
  test("is read in its own order, and made of a dataset", async () => {
    const tf = await import("@tensorflow/tfjs");
    const source = tf.data.array([1, 2, 3, 4, 5]);
    const data = dataset.fromTfData(source).batch(2);
    expect(await all(data)).toEqual([[1, 2], [3, 4], [5]]);
    data.restore({ ...data.state(), sample: 4 });
    expect(await all(data)).toEqual([[5]]);
    const kept = await dataset.collect(source);
    expect([...kept.shuffle(2)].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);

    const made = dataset(4)
      .batch(2)
      .toTfData({ data: { generator: tf.data.generator as never } });
    const seen: unknown[] = [];
    await (made as ReturnType<typeof tf.data.array>).forEachAsync((item) => seen.push(item));
    expect(seen).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test("that never ends, or is none, is refused", async () => {
    const tf = await import("@tensorflow/tfjs");
    expect(() => dataset.fromTfData(tf.data.array([1]).repeat() as never)).toThrow("for ever");
    expect(() => dataset.fromTfData([1] as never)).toThrow("not a tf.data dataset");
  });
});

describe("a folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterlog-folder-"));
    mkdirSync(join(folder, "b/deep"), { recursive: true });
    for (const name of ["b/deep/2.png", "b/1.PNG", "a.png", "B.png", "b.txt", "é.png"]) {
      writeFileSync(join(folder, name), name);
    }
    symlinkSync("a.png", join(folder, "link.png"));
    symlinkSync("..", join(folder, "b/circle"));
    symlinkSync("nowhere", join(folder, "broken.png"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("gives its files sorted by name, with their sizes", () => {
    const data = dataset.folder(folder, { extensions: [".png"] });
    const found = [...data];
    expect(found.map(({ id }) => id)).toEqual([
      "B.png",
      "a.png",
      "b/1.PNG",
      "b/deep/2.png",
      "link.png",
      "é.png",
    ]);
    expect(found[1]).toEqual({ id: "a.png", path: join(folder, "a.png"), size: 5 });
    expect([...dataset.folder(folder)]).toHaveLength(7);
  });

  test("with another file, or one of another size, is another dataset", () => {
    const { ds } = dataset.folder(folder).state();
    expect(dataset.folder(folder).state().ds).toBe(ds);
    writeFileSync(join(folder, "a.png"), "longer than before");
    expect(dataset.folder(folder).state().ds).not.toBe(ds);
    const changed = dataset.folder(folder).state();
    writeFileSync(join(folder, "new.png"), "");
    expect(() => dataset.folder(folder).restore(changed)).toThrow("does not fit");
  });

  test("that is not there is an error, and the item that failed is named", () => {
    expect(() => dataset.folder(join(folder, "no"))).toThrow("cannot be read");
    const data = dataset.folder(folder).map(({ id }) => {
      if (id === "b/1.PNG") throw new RangeError("bad pixels");
    });
    const failed = attempt(() => [...data]);
    expect(failed).toMatchObject({ code: "AL063", data: { epoch: 0, index: 3 } });
    expect(failed?.message).toContain(`${join(folder, "b/1.PNG")}: bad pixels`);
    expect(failed?.cause).toBeInstanceOf(RangeError);
  });
});

function attempt(work: () => unknown): (Error & { code?: string }) | undefined {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

describe("a state", () => {
  const data = dataset(10).shuffle(1).batch(3);
  const state = data.state();

  test.each<[string, unknown, string]>([
    ["of nothing", undefined, "version"],
    ["of another version", { ...state, v: 2 }, "version is 2"],
    ["of other items", dataset(11).shuffle(1).batch(3).state(), "other items"],
    ["of another seed", dataset(10).shuffle(2).batch(3).state(), "another seed"],
    ["beyond the end", { ...state, sample: 11 }, "of 10 items"],
    ["between batches", { ...state, sample: 4 }, "not between two batches"],
    ["with no epoch", { ...state, epoch: -1 }, "epoch is -1"],
    ["of other batches", { ...state, sample: 3, batch: 1 }, "batch cannot change"],
    ["of the last batch", { ...state, sample: 3, dropLast: true }, "dropLast cannot change"],
  ])("%s does not fit", (_, other, why) => {
    const error = attempt(() => data.restore(other as DataState)) as { notes?: string[] };
    expect(error).toMatchObject({ code: "AL072" });
    expect(error.notes?.join()).toContain(why);
    expect(data.state()).toEqual(state);
  });

  test("between two epochs another batch size does fit", () => {
    const other = dataset(10).shuffle(1).batch(5);
    other.restore({ ...state, epoch: 4 });
    expect(other.state()).toMatchObject({ epoch: 4, sample: 0, batch: 5 });
  });

  test("tells arrays of the same length apart by numbers, texts and sizes", () => {
    const arrays = [
      [1, 2],
      [1, 3],
      ["a", "bc"],
      ["ab", "c"],
      [new Float32Array(2), [1]],
      [{}, {}],
    ];
    expect(new Set(arrays.map((items) => dataset<unknown>(items).state().ds)).size).toBe(6);
    const numbers = [new Int8Array([1, 2]), new Uint8Array([1, 2]), new Int8Array([1, 3])];
    expect(new Set(numbers.map((items) => dataset(items).state().ds)).size).toBe(3);
  });

  test("setEpoch keeps what is left of the epoch that it names, and goes to any other", () => {
    const resumed = dataset(10).shuffle(1).batch(3);
    resumed.restore({ ...state, epoch: 2, sample: 6 });
    resumed.setEpoch(2);
    expect([...resumed]).toHaveLength(2);
    resumed.setEpoch(0);
    expect([...resumed]).toEqual([...dataset(10).shuffle(1).batch(3)]);
    const iterator = resumed[Symbol.iterator]();
    iterator.next();
    expect(() => resumed.setEpoch(7)).toThrow("middle of a pass");
  });
});

describe("misuse", () => {
  test.each<[string, () => unknown, string]>([
    ["no items", () => dataset(undefined as never), "cannot be made of undefined"],
    ["part of an item", () => dataset(2.5), "cannot have 2.5 items"],
    ["a seed below 0", () => dataset(3).shuffle(-1), "-1 is not a seed"],
    ["an inexact seed", () => dataset(3).shuffle(2 ** 60), "is not a seed"],
    ["a shuffle too many", () => dataset(3).shuffle(1).shuffle(1), "shuffled once"],
    ["a batch too many", () => dataset(3).batch(1).batch(1), "batched once"],
    ["shuffled batches", () => dataset(3).batch(1).shuffle(1), "shuffle after batch"],
    ["an empty batch", () => dataset(3).batch(0), "a batch cannot be 0"],
    ["no batch at all", () => dataset(3).batch(4, { dropLast: true }), "no batch of 4"],
    ["a rank too many", () => dataset(9).batch(4).shard({ rank: 2, ranks: 2 }), "no rank 2"],
    ["too many ranks", () => dataset(9).batch(4).shard({ rank: 0, ranks: 5 }), "by 5 ranks"],
    ["ranks of items", () => dataset(9).shard({ rank: 0, ranks: 2 }), "shard before batch"],
    ["a closure", () => dataset(3).map((x) => x, { workers: 2 }), "given to threads"],
    ["a path", () => dataset(3).map({ module: "./a.js", name: "f" }), "not an absolute path"],
    ["no export", () => dataset(3).map({ module: "/a.js", name: "" }), "name of an export"],
    ["half a thread", () => dataset(3).map({ module: "/a.js", name: "f" }, { workers: 0 }), "be 0"],
    [
      "a promise",
      () => Array.from(dataset(3).map((x): unknown => Promise.resolve(x))),
      "asynchronous",
    ],
    ["no epoch", () => dataset(3).setEpoch(0.5), "no epoch 0.5"],
    ["no processor", () => dataset(3).allocate({ cpus: 0 }), "0 processors"],
    ["no numbers", () => Array.from(dataset(1).map((_, { random }) => random.int(0))), "int(0)"],
  ])("%s is refused", (_, work, message) => {
    const error = attempt(work);
    expect(error).toMatchObject({ code: "AL061" });
    expect(error?.message).toContain(message);
  });

  test("an array that grows is refused", () => {
    const items = [1, 2, 3];
    const data = dataset(items);
    items.push(4);
    expect(() => [...data]).toThrow("has 4 now");
  });

  test("what must be awaited has no sync iterator", () => {
    expect(Symbol.iterator in dataset(stream)).toBe(false);
    expect(Symbol.iterator in dataset(3).map(async (x) => x)).toBe(false);
    expect(Symbol.iterator in dataset(3).map((x) => x, { prefetch: 1 })).toBe(false);
    expect(Symbol.iterator in dataset(3).map((x) => x)).toBe(true);
  });

  test("after an error the dataset stands before the batch that failed", async () => {
    let broken = true;
    const data = dataset(6)
      .map(
        async (item) => {
          if (item === 3 && broken) throw new Error("no");
          return item;
        },
        { prefetch: 2 },
      )
      .batch(2);
    const seen: number[][] = [];
    await expect(
      (async () => {
        for await (const batch of data) seen.push(batch);
      })(),
    ).rejects.toMatchObject({ code: "AL063", data: { index: 3 } });
    expect(data.state()).toMatchObject({ epoch: 0, sample: 2 });
    broken = false;
    for await (const batch of data) seen.push(batch);
    expect(seen).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });
});
