/**
 * @file What code that the run did not have may change of it unseen: the random generators, the
 * training flags of the captured state, the positions of datasets. Noted before, and set back.
 */
import type { Session } from "./session.ts";
import type { Flag } from "./training-flags.ts";
import { noteTrainingFlags, setBackFlags } from "./training-flags.ts";

/** Notes how the run stands; the answer sets it back. */
export function noteStanding(session: Session): () => void {
  const flags = noteFlags(session);
  const back = noteGenerators(session);
  return () => {
    setBackFlags(flags);
    back();
  };
}

/** Flags of all that the captured state leads to: takes as long as there are objects. */
export function noteFlags(session: Session): readonly Flag[] {
  return noteTrainingFlags(session.parts.captured.places(session.frame));
}

/** Random generators and positions of datasets. */
export function noteGenerators(session: Session): () => void {
  const { random, iterators } = session.parts;
  const generators = random.state;
  const positions = iterators.hold(session.frame);
  return () => {
    positions();
    random.state = generators;
  };
}
