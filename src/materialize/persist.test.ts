import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CheckpointRecord } from "../format/index.ts";
import { listCheckpoints, openCheckpoint, runPaths, verifyCheckpoints } from "../store/index.ts";
import { InlineMaterializer } from "./inline-materializer.ts";
import type { SnapshotTensor } from "./materializer.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterlog-persist-"));
  mkdirSync(runPaths.checkpoints(folder), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A tensor of numbers that may change between checkpoints. */
function tensor(name: string, values: Float32Array, immutable?: object): SnapshotTensor {
  return {
    name,
    dtype: "F32",
    shape: [values.length],
    bytes: values.byteLength,
    ...(immutable ? { immutable } : {}),
    copyTo: (target) =>
      target.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  };
}

interface Taken {
  readonly failures: string[];
  readonly take: (epoch: number, leaves: readonly SnapshotTensor[]) => void;
  readonly finish: () => void;
}

function materializer(crashAt: string | null = null): Taken {
  const failures: string[] = [];
  const inline = new InlineMaterializer({
    run: "r",
    runFolder: folder,
    crashAt,
    events: {
      committed: () => undefined,
      failed: (feature, why) => failures.push(`${feature}: ${why}`),
    },
  });
  return {
    failures,
    take: (epoch, leaves) => {
      const nodes = leaves.map(({ name, bytes }) => ({
        t: "buffer" as const,
        tensor: name,
        bytes,
      }));
      const places = leaves.map(({ name }, id) => {
        return { key: `d0.${name}`, source: "a" as const, value: ["ref", id] as const };
      });
      inline.take({
        kind: "iteration",
        path: [["epoch", epoch]],
        seq: epoch,
        paired: false,
        needs: [],
        waitMsMax: 0,
        file: `epoch=${epoch}.safetensors`,
        state: { graph: { places, nodes }, entry: [], leaves },
        generators: [],
        iterators: [],
        captureMs: 0,
        t: 0,
      });
    },
    finish: () => inline.finish("done", () => 0),
  };
}

function read(record: CheckpointRecord, name: string): Float32Array {
  using reader = openCheckpoint(folder, record);
  return new Float32Array(reader.tensor(name).slice().buffer);
}

describe("persisting", () => {
  test("an unchanged tensor is written once and named ever after, one hop away", () => {
    const frozen = new Float32Array(5000).fill(1);
    const trained = new Float32Array(5000);
    const { take, finish, failures } = materializer();
    for (let epoch = 0; epoch < 4; epoch++) {
      trained.fill(epoch);
      take(epoch, [tensor("frozen", frozen, frozen), tensor("trained", trained)]);
    }
    finish();
    expect(failures).toEqual([]);
    const { good, bad } = verifyCheckpoints(folder);
    expect(bad).toEqual([]);
    expect(good.map(({ holds }) => holds)).toEqual([
      [],
      ["epoch=0.safetensors"],
      ["epoch=0.safetensors"],
      ["epoch=0.safetensors"],
    ]);
    for (const [epoch, record] of good.entries()) {
      expect(read(record, "frozen")).toEqual(frozen);
      expect(read(record, "trained")).toEqual(new Float32Array(5000).fill(epoch));
    }
  });

  test("mutable memory is compared by its bytes: a change back and forth is seen", () => {
    const values = new Float32Array(2000);
    const { take, finish } = materializer();
    for (const [epoch, value] of [1, 1, 2, 1].entries()) {
      values[1999] = value;
      take(epoch, [tensor("w", values)]);
    }
    finish();
    const records = listCheckpoints(folder);
    expect(records.map((record) => read(record, "w")[1999])).toEqual([1, 1, 2, 1]);
    expect(records.map(({ holds }) => holds.length)).toEqual([0, 1, 0, 0]);
  });

  test("equal states have equal hashes, and the place that differs is named", () => {
    const a = new Float32Array(1500);
    const b = new Float32Array(3);
    const { take, finish } = materializer();
    take(0, [tensor("a", a), tensor("b", b)]);
    take(1, [tensor("a", a), tensor("b", b)]);
    b[2] = -0;
    take(2, [tensor("a", a), tensor("b", b)]);
    finish();
    const [first, second, third] = listCheckpoints(folder);
    expect(second?.stateHash).toBe(first?.stateHash);
    expect(third?.stateHash).not.toBe(first?.stateHash);
    const differing = third?.places.filter(({ crc32 }, at) => crc32 !== first?.places[at]?.crc32);
    expect(differing?.map(({ key }) => key)).toEqual(["d0.b"]);
  });

  test.each(["ENOSPC:persist:before-header", "EIO:persist:before-data-sync"])(
    "%s leaves nothing behind and turns checkpoints off",
    (fault) => {
      const { take, finish, failures } = materializer(fault);
      take(0, [tensor("w", new Float32Array(10))]);
      take(1, [tensor("w", new Float32Array(10))]);
      finish();
      expect(failures).toHaveLength(1);
      expect(listCheckpoints(folder)).toEqual([]);
      expect(readdirSync(runPaths.checkpoints(folder))).toEqual([]);
    },
  );
});
