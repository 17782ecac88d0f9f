export interface Batch {
  readonly inputs: readonly (readonly number[])[];
  readonly labels: readonly number[];
}
