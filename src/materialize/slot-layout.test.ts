import fc from "fast-check";
import { expect, test } from "vitest";
import type { Dtype, TensorSpec } from "../format/index.ts";
import { alignPage, DTYPE_BYTES, PAGE_BYTES } from "../format/index.ts";
import { isLarge, layOut, SEGMENT_BYTES } from "./slot-layout.ts";

const tensors = fc
  .array(
    fc.tuple(
      fc.constantFrom<Dtype>("F64", "F32", "F16", "U8"),
      fc.oneof(fc.nat(40), fc.nat(100_000), fc.integer({ min: 1 << 26, max: 1 << 29 })),
    ),
    { maxLength: 20 },
  )
  .map((list) =>
    list.map(([dtype, length], index): TensorSpec => {
      return { name: `t${index}`, dtype, shape: [length], bytes: length * DTYPE_BYTES[dtype] };
    }),
  );

test("tensors do not overlap, are aligned for their type, and large ones begin on a page", () => {
  fc.assert(
    fc.property(tensors, fc.nat(10_000), (specs, structureBytes) => {
      const layout = layOut(specs, structureBytes);
      expect(layout.structure.capacity).toBeGreaterThanOrEqual(structureBytes);
      const used = specs.map((spec, index) => {
        const place = layout.placements[index] ?? { segment: -1, offset: -1 };
        const bytes = isLarge(spec) ? alignPage(spec.bytes) : spec.bytes;
        expect(place.offset % (isLarge(spec) ? PAGE_BYTES : DTYPE_BYTES[spec.dtype])).toBe(0);
        return { ...place, bytes };
      });
      used.push({ ...layout.structure, bytes: layout.structure.capacity });
      for (const [segment, bytes] of layout.segmentBytes.entries()) {
        expect(bytes).toBeLessThanOrEqual(Math.max(SEGMENT_BYTES, 1 << 29) * 8);
        let end = 0;
        const here = used.filter((place) => place.segment === segment && place.bytes > 0);
        for (const { offset, bytes: length } of here.toSorted((a, b) => a.offset - b.offset)) {
          expect(offset).toBeGreaterThanOrEqual(end);
          end = offset + length;
        }
        expect(end).toBeLessThanOrEqual(bytes);
      }
    }),
  );
});
