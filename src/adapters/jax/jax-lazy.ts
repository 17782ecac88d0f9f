/**
 * @file Lazy constants of jax-js: arrays that are not memory yet, but one number.
 *
 * jax-js 0.1.25 folds operations between constants in double precision and rounds only when the
 * value meets real data. A scalar such as Adam's power of beta is one for a whole training, and
 * has more digits than its float32 shows: restored from these, the losses drift apart. So the
 * number itself is captured. It is read by moving a copy of the array to a device of our own,
 * which looks at what it is asked to store; the array stays as it is.
 */
import type { JaxArray } from "./jax.ts";

/** What jax-js asks of a device when an array becomes memory. */
interface Spy {
  readonly type: string;
  malloc(bytes: number, content?: Uint8Array): number;
  incRef(slot: number): void;
  decRef(slot: number): void;
  prepareKernelSync(kernel: { readonly exp?: { resolve?(): unknown } }): never;
}

/** Thrown and caught here only; made once, because a stack trace costs more than the rest. */
const STOP = new Error("stop");

function stopEvaluation(): never {
  throw STOP;
}

/** Whether the array is an expression that was not evaluated yet. */
export function isLazy(array: JaxArray): boolean {
  if (array._putSync === undefined || array.size === 0) return false;
  const references = array.refCount;
  const held = array.ref;
  // To move an array that is memory, jax-js reads it first.
  Object.defineProperty(array, "dataSync", { value: stopEvaluation, configurable: true });
  try {
    held._putSync?.({ type: "none" }).dispose();
    return true;
  } catch (error) {
    if (error === STOP) return false;
    throw error;
  } finally {
    Reflect.deleteProperty(array, "dataSync");
    while (array.refCount > references) array.dispose();
  }
}

/** The number that a lazy array is everywhere; `undefined` if it is not one number. */
export function lazyConstant(array: JaxArray): number | undefined {
  if (!isLazy(array)) return undefined;
  let seen: unknown;
  const spy: Spy = {
    type: "none",
    malloc(_bytes, content) {
      if (content !== undefined) [seen] = new Float64Array(content.buffer, 0, 1);
      return 0;
    },
    incRef: () => {},
    decRef: () => {},
    prepareKernelSync(kernel) {
      seen = kernel.exp?.resolve?.();
      return stopEvaluation();
    },
  };
  const copy = array.ref.astype("float64")._putSync?.(spy);
  if (copy === undefined) return undefined;
  copy._realizeSource?.();
  if (seen === undefined) observeArray(() => copy.dataSync());
  if (copy.refCount > 0) observeArray(() => copy.dispose());
  return typeof seen === "number" ? seen : undefined;
}

/** What the spy stops, or what the half-made copy cannot do, is of no interest. */
function observeArray(action: () => unknown): void {
  try {
    action();
  } catch {
    return;
  }
}

/** The bytes of a lazy array, evaluated on its own device, as a copy. */
export function lazyBytes(array: JaxArray): ArrayBufferView {
  const copy = array.ref.reshape([...array.shape, 1]);
  copy._realizeSource?.();
  return copy.dataSync();
}
