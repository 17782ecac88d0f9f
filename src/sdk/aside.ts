/**
 * @file `aside`: code that must not be noticed by the training around it. A value asked in hindsight
 * may need a whole evaluation; carried into a run that had none, it draws random numbers, goes
 * through data and switches the model to evaluation, all of which the next step would feel
 * (semantics, "Landing": a helper that calls the model runs with generators and training flags
 * saved).
 */
import { current } from "./current.ts";
import type { Session } from "./session.ts";
import { noteStanding } from "./set-back.ts";

/**
 * Calls `fn` and returns what it returns, with the random generators, the positions of datasets and
 * the training flags of the captured state set back afterwards: when its promise settles, if it
 * gives one. That promise must be awaited before the training continues, for until then everything
 * counts as done aside; several at once may be awaited together. Loops and declarations inside are
 * not recorded. What else `fn` changes stays changed. Throws what `fn` throws. Where nothing is
 * recorded it only calls `fn`.
 *
 * @example
 * al.log("f1_seven", al.aside(() => f1(model, testImages)[7]));
 */
export function aside<T>(fn: () => T): T {
  const session = current();
  if (!session) return fn();
  const back = stepAside(session);
  let result: T;
  try {
    result = fn();
  } catch (error) {
    back();
    throw error;
  }
  if (!isThenable(result)) {
    back();
    return result;
  }
  return settledAside(result, back) as T;
}

/** A call of `aside` that is under way. */
export interface Aside {
  readonly back: () => void;
  /** It has returned, but one that began after it has not. */
  over: boolean;
}

/**
 * The way back to where the run stands now. Asides may overlap (`Promise.all`): whichever returns
 * first, what a later one noted is set back before what an earlier one did, so that the last to
 * return leaves the run where the first found it.
 */
function stepAside(session: Session): () => void {
  const { asides } = session;
  const own: Aside = { back: noteStanding(session), over: false };
  asides.push(own);
  return () => {
    own.over = true;
    while (asides.at(-1)?.over) asides.pop()?.back();
  };
}

async function settledAside(result: PromiseLike<unknown>, back: () => void): Promise<unknown> {
  try {
    return await result;
  } finally {
    back();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}
