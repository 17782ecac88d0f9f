/** @file What the parts of a question may do: they stand in the text of the program like its own. */
import type { ProbePlace } from "../../../../format/index.ts";
import { Lines } from "../../../lines.ts";
import type { Effects } from "./loop-effects.ts";
import { effectsOf, runningFrom } from "./loop-effects.ts";
import type { FileUnit, Span } from "../lowering/ir.ts";
import type { SolvedProgram } from "./solved-program.ts";

/** Stretches of texts, by file. */
export type Parts = ReadonlyMap<string, readonly Span[]>;

/** Where what was added stands in the texts. */
export function partsIn(
  units: ReadonlyMap<string, { readonly text: string; readonly unit: Pick<FileUnit, "logs"> }>,
  probes: readonly ProbePlace[],
): Parts {
  const files = [...units].filter(([file]) => probes.some((probe) => probe.file === file));
  return new Map(
    files.map(([file, { text, unit }]) => {
      const lines = new Lines(text);
      const offsetOf = (place: { readonly line: number; readonly column: number }): number =>
        lines.startOf(place.line) + place.column - 1;
      const own = probes.filter((probe) => probe.file === file);
      const spans = own.flatMap((probe): Span[] => {
        const start = offsetOf(probe);
        if (probe.end) return [{ start, end: offsetOf(probe.end) }];
        return unit.logs
          .filter(({ at }) => lines.at(at).line === probe.line)
          .map((log) => ({ start: log.at, end: log.end }));
      });
      return [file, spans];
    }),
  );
}

/** All that they may change. A function in one of them may be called at any time. */
export function partEffects(solved: SolvedProgram, parts: Parts): Effects {
  const { solver, linked } = solved;
  const effects = [...parts].flatMap(([file, spans]) => {
    const isIn = ({ at }: { readonly at: number }): boolean =>
      spans.some(({ start, end }) => start <= at && at < end);
    return (linked.units.get(file)?.loweredFunctions ?? []).flatMap((lowered) => {
      const ops = lowered.ops.filter(isIn);
      const activations = ops.length === 0 ? [] : solved.activationsOf(lowered);
      return activations.map((one) => effectsOf(solver, runningFrom(solver, one, ops)));
    });
  });
  return {
    mutated: new Set(effects.flatMap(({ mutated }) => [...mutated])),
    assigned: new Set(effects.flatMap(({ assigned }) => [...assigned])),
    globals: new Set(effects.flatMap(({ globals }) => [...globals])),
  };
}
