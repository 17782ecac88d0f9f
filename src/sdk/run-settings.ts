/** @file The settings that a run is recorded with, and what is said of those that are wrong. */
import assert from "node:assert/strict";
import type { Directive, KeepPolicy, Manifest } from "../format/index.ts";
import { parseKeep, resolveSettings } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { readSettingsFile } from "../store/index.ts";

export interface RunSettings {
  readonly keep: KeepPolicy;
  /** Infinity: every checkpoint is taken. */
  readonly overheadMax: number;
  readonly persist: "inline" | "worker";
}

/**
 * What the command line handed over; of a continued run as it was begun; else as environment and
 * `afterlog.toml` say. The command has looked into that file already, a program alone has not.
 */
export function runSettings(
  {
    directive,
    notice,
  }: { readonly directive: Directive | undefined; readonly notice: (text: string) => void },
  { root }: Project,
  manifest: Manifest,
): RunSettings {
  const begun = manifest.directive as Directive | null;
  const overhead = directive?.overhead ?? begun?.overhead;
  const { settings, problems } = resolveSettings({
    flags: {
      "record.overhead": overhead == null ? null : String(overhead),
      "record.keep": directive?.keep ?? begun?.keep ?? null,
      "record.persist": directive?.persist ?? null,
      "record.seed": directive?.seed ?? null,
    },
    env: process.env,
    file: directive ? undefined : readSettingsFile(root),
  });
  for (const { message, instead } of problems) notice(`warning: ${message}; ${instead}`);
  const { value: share } = settings["record.overhead"];
  const keep = parseKeep(settings["record.keep"].value);
  assert(keep);
  // A replay takes no checkpoints: a thread of ours would have nothing to do.
  const isInline = directive?.mode === "replay" || settings["record.persist"].value === "inline";
  return {
    keep,
    overheadMax: share === "inf" ? Infinity : share,
    persist: isInline ? "inline" : "worker",
  };
}
