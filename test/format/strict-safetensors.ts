/**
 * @file A reader of safetensors files that takes nothing but what the format's own library takes, in
 * its older versions too: https://huggingface.co/docs/safetensors, "Format".
 */

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Those that every version knows; complex numbers and 8-bit floats came later. */
const ITEM_BYTES = new Map(
  Object.entries({ BOOL: 1, U8: 1, I8: 1, I16: 2, U16: 2, F16: 2, BF16: 2 }).concat(
    Object.entries({ I32: 4, U32: 4, F32: 4, F64: 8, I64: 8, U64: 8 }),
  ),
);
const HEADER_BYTES_MAX = 100_000_000;

/** The tensors of a file by name. Throws at whatever the format forbids. */
export function readStrictly(file: Buffer): ReadonlyMap<string, Tensor> {
  const length = Number(file.readBigUInt64LE(0));
  must(length <= HEADER_BYTES_MAX && 8 + length <= file.byteLength, "the header's length");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(file.subarray(8, 8 + length));
  must(text.startsWith("{") && /\} *$/.test(text), "the header's begin or padding");
  const { __metadata__: metadata, ...header } = JSON.parse(text) as { [name: string]: unknown };
  must(
    Object.values(metadata ?? {}).every((value) => typeof value === "string"),
    "metadata other than texts",
  );
  const tensors = Object.entries(header as { [name: string]: Tensor });
  // A name that is there twice would have been dropped.
  must(text.split('"data_offsets":').length - 1 === tensors.length, "a name twice");
  const inOrder = tensors.toSorted(([, { data_offsets: a }], [, { data_offsets: b }]) => {
    return a[0] - b[0] || a[1] - b[1];
  });
  let at = 0;
  for (const [name, { dtype, shape, data_offsets: offsets }] of inOrder) {
    const item = ITEM_BYTES.get(dtype) ?? Number.NaN;
    const [start, end] = offsets;
    must(Object.keys(header[name] as object).length === 3, `${name}: other fields`);
    must(start === at, `${name}: a hole or an overlap`);
    must(end - start === shape.reduce((a, b) => a * b, item), `${name}: ${dtype} ${String(shape)}`);
    // Its bytes are seen as its elements where they lie.
    must((8 + length + start) % item === 0, `${name}: not aligned`);
    at = end;
  }
  must(8 + length + at === file.byteLength, "the file's length");
  return new Map(inOrder);
}

function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(`no safetensors file: ${what}`);
}
