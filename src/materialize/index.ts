/** Snapshot, persist, and the policy that decides when: state to durable files in the background. */
export { InlineMaterializer } from "./inline-materializer.ts";
export { StepFrequency } from "./frequency.ts";
export type { StepTimes } from "./frequency.ts";
export { Retention, retainedBefore } from "./retention.ts";
export { JOINT_INVARIANT_DEFAULTS } from "./joint-invariant.ts";
export { Ledger } from "./ledger.ts";
export type { CheckpointCost, StateFacts } from "./ledger.ts";
export type { Feature, FilePositions, Materializer, MaterializerEvents } from "./materializer.ts";
export { ThreadMaterializer } from "./thread-materializer.ts";
export { ThreadTime } from "./thread-time.ts";
export { placeHashes } from "./place-hashes.ts";
