/**
 * What order and random transforms must give, in a file that every SDK is held to. The file is made
 * here and checked by an implementation in Python that shares nothing with this one.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { datasetMaker } from "../../src/loader/index.ts";
import { PhiloxRandom } from "../../src/loader/item-random.ts";
import { feistelOrder, shuffledOrder } from "../../src/loader/order.ts";
import { philoxBlock } from "../../src/loader/philox.ts";
import { parseSeed } from "../../src/loader/seed.ts";

const dataset = datasetMaker({ made: () => undefined, moved: () => undefined });
const FILE = join(import.meta.dirname, "vectors/v1.json");
const SEEDS = ["0", "1", (2n ** 63n).toString()];
const FIRST = 32;

function philox(counter: number[], key: [number, number]): string[] {
  const out = new Uint32Array(4);
  const [epoch = 0, index = 0, stream = 0, block = 0] = counter;
  philoxBlock(out, { seed: key, epoch, index, stream }, block);
  return [...out].map((word) => word.toString(16).padStart(8, "0"));
}

function orders(): unknown[] {
  return [10, 1000, 1281167].flatMap((n) =>
    SEEDS.flatMap((seed) =>
      [0, 1].map((epoch) => {
        const order = shuffledOrder({ count: n, seed: parseSeed(seed).words, epoch });
        const all = n > 1000 ? undefined : Array.from({ length: n }, (_, at) => order(at));
        const first = Array.from({ length: Math.min(n, FIRST) }, (_, at) => order(at));
        const sha256 = createHash("sha256").update(String(all)).digest("hex");
        return { n, seed, epoch, first, ...(all ? { sha256 } : {}) };
      }),
    ),
  );
}

function largeOrders(): unknown[] {
  return [2 ** 26 + 1, 2 ** 32].flatMap((n) =>
    SEEDS.map((seed) => {
      const order = shuffledOrder({ count: n, seed: parseSeed(seed).words, epoch: 3 });
      const first = Array.from({ length: FIRST }, (_, at) => order(at));
      return { n, seed, epoch: 3, first, last: order(n - 1) };
    }),
  );
}

function draws(): unknown[] {
  return SEEDS.flatMap((seed) =>
    [
      { epoch: 0, index: 0, stream: 1 },
      { epoch: 7, index: 1281166, stream: 2 },
      { epoch: 4294967295, index: 4294967295, stream: 2147483649 },
    ].map((key) => {
      const made = (): PhiloxRandom => new PhiloxRandom({ seed: parseSeed(seed).words, ...key });
      const [uniform, whole, gauss] = [made(), made(), made()];
      return {
        seed,
        ...key,
        next: Array.from({ length: 8 }, () => uniform.next()),
        // Just above half of all words: almost every second one is drawn again.
        int: [2, 6, 1000, 2147483649, 4294967296].map((n) => [
          n,
          Array.from({ length: 8 }, () => whole.int(n)),
        ]),
        normal: Array.from({ length: 16 }, () => gauss.normal()),
      };
    }),
  );
}

/** A flip, a crop and some noise, first for each item, then for the batch. */
function transforms(): unknown[] {
  return SEEDS.map((seed) => {
    const data = dataset(10)
      .shuffle(seed)
      .map((item, { random }) => [item, random.next() < 0.5 ? 1 : 0, random.int(28)])
      .batch(4)
      .map((batch, { random, items }) => ({
        items: batch,
        batch: random.normal(),
        each: items.map((item) => item.random.next()),
      }));
    return { seed, n: 10, batch: 4, epochs: [[...data], [...data]] };
  });
}

describe("test vectors", () => {
  test("are what this implementation gives", async () => {
    const vectors = {
      v: 1,
      philox: [
        { counter: [0, 0, 0, 0], key: [0, 0], words: philox([0, 0, 0, 0], [0, 0]) },
        {
          counter: Array.from({ length: 4 }, () => 0xffffffff),
          key: [0xffffffff, 0xffffffff],
          words: philox([0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff]),
        },
      ],
      orders: orders(),
      largeOrders: largeOrders(),
      draws: draws(),
      transforms: transforms(),
    };
    // Oxfmt would lay it out; one line for each vector is easier to compare.
    const text = Object.entries(vectors)
      .map(([name, value]) =>
        Array.isArray(value)
          ? `"${name}": [\n${value.map((one) => `    ${JSON.stringify(one)}`).join(",\n")}\n  ]`
          : `"${name}": ${JSON.stringify(value)}`,
      )
      .join(",\n  ");
    await expect(`{\n  ${text}\n}\n`).toMatchFileSnapshot(FILE);
  });

  test("hold the published answers of Philox4x32-10", () => {
    expect(philox([0, 0, 0, 0], [0, 0]).join(" ")).toBe("6627e8d5 e169c58d bc57ac4c 9b00dbd8");
    const ones = 0xffffffff;
    expect(philox([ones, ones, ones, ones], [ones, ones]).join(" ")).toBe(
      "408f276d 41c83b0e a20bc7c6 6d5451fd",
    );
  });

  test("are what an implementation in Python gives", () => {
    const script = join(import.meta.dirname, "check_vectors.py");
    const said = execFileSync("python3", [script, FILE], { encoding: "utf8" });
    expect(said.trim()).toBe("18 orders, 6 large orders, 9 draws, 3 transforms");
  });

  test.each([1, 2, 3, 100, 1025, 5000])("Feistel with cycle walking permutes %i", (count) => {
    const order = feistelOrder(count, { seed: [1, 2], epoch: 3, index: 0, stream: 0 });
    const seen = Array.from({ length: count }, (_, at) => order(at));
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at));
    if (count >= 100)
      expect(seen.slice(0, 10)).not.toEqual(seen.toSorted((a, b) => a - b).slice(0, 10));
  });
});
