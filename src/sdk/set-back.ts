/**
 * @file What code that the run did not have may change of it unseen: the random generators, the
 * training flags of the captured state, the positions of datasets. Noted before, and set back.
 */
import type { Session } from "./session.ts";
import type { Flag } from "./training-flags.ts";
import { noteTrainingFlags, setBackFlags } from "./training-flags.ts";

/** Notes how the run stands; the answer sets it back. */
export function noteStanding(session: Session): () => void {
  const { back, flags } = noteForPart(session);
  return () => {
    setBackFlags(flags);
    back();
  };
}

/** The same, with the flags apart: those of a question are found again by its later parts. */
export function noteForPart(session: Session): {
  readonly back: () => void;
  readonly flags: readonly Flag[];
} {
  const { random, captured, iterators } = session.parts;
  const generators = random.state;
  const flags = noteTrainingFlags(captured.places(session.frame));
  const positions = iterators.hold(session.frame);
  const back = (): void => {
    positions();
    random.state = generators;
  };
  return { back, flags };
}
