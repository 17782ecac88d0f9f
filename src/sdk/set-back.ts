/**
 * @file What code that the run did not have may change of it unseen: the random generators, the
 * training flags of the captured state, the positions of datasets. Noted before, and set back.
 */
import type { Session } from "./session.ts";
import { holdTrainingFlags } from "./training-flags.ts";

/** Notes how the run stands; the answer sets it back. */
export function noteStanding(session: Session): () => void {
  const { random, captured, iterators } = session.parts;
  const generators = random.state;
  const flags = holdTrainingFlags(captured.places(session.frame));
  const positions = iterators.hold(session.frame);
  return () => {
    positions();
    flags();
    random.state = generators;
  };
}
