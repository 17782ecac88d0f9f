/** @file How the value of an option is read. */
import { InvalidArgumentError } from "commander";
import { parseTime } from "../../format/index.ts";

/** What an action gets of a value, by the kind that the table names. */
export interface ValueTypes {
  /** Names separated by commas. */
  readonly names: readonly string[];
  /** A whole number from 0 on. */
  readonly count: number;
  /** How many processes: a whole number from 1 on. */
  readonly jobs: number;
  readonly gpus: readonly string[];
  /** A time such as `10m`, in seconds. */
  readonly seconds: number;
}

export const VALUE_READERS: {
  readonly [Kind in keyof ValueTypes]: (text: string) => ValueTypes[Kind];
} = { names: readNames, count: readCount, jobs: readJobs, gpus: readGpus, seconds: readSeconds };

function readNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function readCount(text: string): number {
  const count = Number(text);
  if (text.trim() === "" || !Number.isInteger(count) || count < 0) {
    throw new InvalidArgumentError("It must be a whole number.");
  }
  return count;
}

function readJobs(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1024) {
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  }
  return count;
}

/** A number, or the name that the driver gave it (`nvidia-smi -L`). */
const GPU = /^(?:\d{1,3}|(?:GPU|MIG)-[\w/-]+)$/;

function readGpus(text: string): string[] {
  const gpus = text.split(",").map((gpu) => gpu.trim());
  if (gpus.every((gpu) => GPU.test(gpu)) && new Set(gpus).size === gpus.length) return gpus;
  throw new InvalidArgumentError("It must name GPUs, each once: 0,1 or GPU-8932f937-….");
}

/** `90s`, `10m`, `1h30m`, or seconds. */
function readSeconds(text: string): number {
  const total = parseTime(text);
  if (total !== undefined) return total;
  throw new InvalidArgumentError("It must be a time such as 90s, 10m or 1h30m.");
}
