/** @file This process and the machine that it runs on, as a manifest has them. */
import os from "node:os";
import type { Manifest } from "../format/index.ts";
import { bootId, processStart } from "../store/index.ts";

export function hostFacts(): Manifest["host"] {
  return {
    name: os.hostname(),
    platform: process.platform,
    arch: process.arch,
    cpus: os.cpus().length,
    memoryBytes: os.totalmem(),
    bootId: bootId(),
    pid: process.pid,
    pidStart: processStart(process.pid),
  };
}
