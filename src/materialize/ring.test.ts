import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeRing, RingReader, RingWriter } from "./ring.ts";

/** A ring whose reader runs when the writer has no room, or half-way, as the worker would. */
function pair(capacity: number, wakes: boolean): { writer: RingWriter; read: () => string } {
  const ring = makeRing(capacity);
  const reader = new RingReader(ring);
  const chunks: Buffer[] = [];
  const drain = (): void => reader.drain((bytes) => chunks.push(Buffer.from(bytes)));
  const writer = new RingWriter(ring, {
    makeRoom: (isRoom) => {
      drain();
      return isRoom();
    },
    halfFull: () => (wakes ? drain() : undefined),
  });
  return {
    writer,
    read: () => {
      drain();
      return Buffer.concat(chunks).toString();
    },
  };
}

describe("the ring between training thread and worker", () => {
  test("delivers every byte in order, whatever the lengths", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 200, unit: "grapheme" }), { maxLength: 60 }),
        fc.constantFrom(64, 256, 4096),
        fc.boolean(),
        (lines, capacity, wakes) => {
          const { writer, read } = pair(capacity, wakes);
          for (const line of lines) expect(writer.append(line)).toBe(true);
          const text = lines.join("");
          expect(read()).toBe(text);
          expect(writer.position).toBe(Buffer.byteLength(text));
          expect(writer.consumed).toBe(writer.position);
        },
      ),
    );
  });

  test("says so when nobody reads any more", () => {
    const writer = new RingWriter(makeRing(64), {
      makeRoom: () => false,
      halfFull: () => undefined,
    });
    expect(writer.append("x".repeat(50))).toBe(true);
    expect(writer.append("y".repeat(50))).toBe(false);
  });
});
