/** @file Typed arrays and what says of them where each begins, as one answer (`docs/http.md`). */
const ALIGNMENT = 8;

/** Arrays one after the other, each where a typed array may begin. */
export class BinaryBody {
  readonly #parts: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  #length = 0;

  add({ buffer, byteLength }: Uint8Array | Uint32Array | Float64Array): number {
    const offset = this.#length;
    this.#parts.push({ offset, bytes: new Uint8Array(buffer, 0, byteLength) });
    this.#length = aligned(offset + byteLength);
    return offset;
  }

  /** The length of the header as u32, the header as JSON, and from the next multiple of eight on this. */
  behind(header: object): Uint8Array<ArrayBuffer> {
    const text = Buffer.from(JSON.stringify(header));
    const start = aligned(4 + text.byteLength);
    const bytes = new Uint8Array(start + this.#length);
    new DataView(bytes.buffer).setUint32(0, text.byteLength, true);
    bytes.set(text, 4);
    for (const { offset, bytes: part } of this.#parts) bytes.set(part, start + offset);
    return bytes;
  }
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
