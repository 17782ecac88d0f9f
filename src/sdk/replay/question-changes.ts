/** @file Which differences of the state are a question's doing. */
import type { CapturedState } from "../checkpoints/captured-state.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { ComparedState } from "./compare-state.ts";
import { LeftBehind } from "./left-behind.ts";

interface Compared extends ComparedState {
  /** Keys of places that are equal but for what the question left there. */
  readonly left: readonly string[];
}

export class QuestionChanges {
  /** Whether something of the question was executed since the state was equal last. */
  #isAsked = false;
  /** Places that differed though nothing was. */
  readonly #different = new Set<string>();
  readonly #left: LeftBehind;

  readonly #captured: CapturedState;
  readonly #mayChange: boolean;

  constructor(captured: CapturedState, mayChange = false) {
    this.#captured = captured;
    this.#mayChange = mayChange;
    this.#left = new LeftBehind(captured.classes);
  }

  /** A part begins in a loop; what is returned is called behind it. `isQuiet`: it changes nothing, as far as is known. */
  partBegins(frame: LoopFrame | undefined, isQuiet: boolean): () => void {
    this.#isAsked = true;
    return this.#mayChange && !isQuiet
      ? this.#left.begin(this.#captured.places(frame))
      : () => undefined;
  }

  /** A checkpoint is about to be restored: whether the run would have felt what was left, nobody would see. */
  checkRestore(insufficient: (why: string) => never): void {
    if (!this.#left.isAny) return;
    insufficient("what is asked changed what the run may come across in iterations left out");
  }

  /** Compares the state, without what the question left there if it differs. */
  compare(compareNow: () => ComparedState): Compared {
    const now = compareNow();
    if (now.differs.length === 0) this.#left.clear();
    const compared = this.#left.isAny ? this.#left.asBefore(compareNow) : now;
    return { ...compared, left: now.differs.filter((key) => !compared.differs.includes(key)) };
  }

  /** Why the process ends where the state differs at the end of an iteration or a loop, if it is to. */
  whyOver({ differs, left }: Compared): string | undefined {
    if (!this.#isAsked) for (const key of differs) this.#different.add(key);
    // What it left the run may still come across.
    this.#isAsked &&= differs.length + left.length > 0;
    const changed = differs.filter((key) => !this.#different.has(key));
    if (changed.length === 0 || !this.#mayChange) return undefined;
    return `what is asked changed the state: ${changed.join(", ")}`;
  }
}
