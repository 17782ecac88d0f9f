/**
 * Each kind of state, and of what loops go through, alone in one small training: at the top of the
 * module, in a function and in a method. Usually a few of them; the long tests take all.
 */
import { describe, test } from "vitest";
import { checkQuestions } from "./check-program.ts";
import { some } from "../support/draws.ts";
import type { Question } from "./check-program.ts";
import type { Gadget } from "./gadgets.ts";
import { HELPERS, USUAL } from "./gadgets.ts";
import type { Probe, Program } from "./generate.ts";
import { RARE } from "./rare-gadgets.ts";
import { RARE_SOURCES, USUAL_SOURCES } from "./sources.ts";

/** Where the training stands: what comes before and after it. */
const PLACES = {
  module: ["", ""],
  function: ["async function main() {", "}\nawait main();"],
  method: ["class Run { async main() {", "} }\nawait new Run().main();"],
} as const;
type Where = keyof typeof PLACES;

const CARRIER: Gadget = {
  declare: "let carried = 0.2; const kept = [0.1];",
  update: "carried = mix(carried, V); kept[0] = mix(kept[0], carried);",
  value: "carried",
  read: "[carried, kept]",
};

interface Parts {
  readonly module?: string | undefined;
  readonly outer: string;
  readonly inner: string;
  readonly outerBody?: string;
  readonly innerBody?: string;
  readonly awaits: boolean;
  readonly items: readonly string[];
}

function training(gadget: Gadget, where: Where, parts: Parts): Program {
  const numbered = (text: string): string => text.replaceAll(/\$(?!\{)/g, "0");
  const { value, read } = { value: numbered(gadget.value), read: numbered(gadget.read) };
  const update = (v: string): string =>
    `{ const v = ${v}; ${numbered(gadget.update).replaceAll(/\bV\b/g, "v")} }`;
  const text = (piece: string): string =>
    numbered(piece).replaceAll(/\bN\b/g, "3").replaceAll(/\bG\b/g, value);
  const [before, after] = PLACES[where];
  const head = parts.awaits ? "for await" : "for";
  const source = [
    'import * as al from "afterlog";',
    HELPERS,
    numbered(gadget.module ?? ""),
    numbered(parts.module ?? ""),
    before,
    numbered(gadget.declare),
    update("0.4"),
    "//@prefix",
    `${head} (const ${text(parts.outer)}) {`,
    "//@head",
    update(`mix(${numbered(parts.items[0] ?? "")}, ${value})`),
    text(parts.outerBody ?? ""),
    `${head} (const ${text(parts.inner)}) {`,
    update(`mix(${numbered(parts.items[1] ?? "")}, Math.random())`),
    text(parts.innerBody ?? ""),
    `al.log("loss", ${value});`,
    "//@inner",
    "}",
    update(`mix(${value}, 0.3)`),
    "//@tail",
    "//@one",
    `al.log("acc", ${value});`,
    "}",
    "//@suffix",
    update("0.6"),
    `al.log("final", ${value});`,
    after,
    "",
  ].join("\n");
  const probe = (name: string, kind: Probe["kind"], loops: string[]): Probe => {
    const reads = [read, ...(loops.length > 0 ? [numbered(parts.items[0] ?? "")] : [])];
    return { name, kind, loops, statement: `al.log("${name}", show(${reads.join(", ")}));` };
  };
  const files = gadget.file ? { [numbered(gadget.file[0])]: gadget.file[1] } : {};
  return {
    entry: "train.mjs",
    files: { "train.mjs": source, ...files },
    probes: [
      probe("prefix", "prefix", []),
      probe("suffix", "suffix", []),
      ...["head", "tail", "one"].map((name) => probe(name, "outer", ["epoch"])),
      probe("inner", "inner", ["epoch", "step"]),
    ],
    rare: true,
    features: [],
  };
}

const RANGES = {
  outer: 'epoch of al.loop("epoch", al.range(4))',
  inner: 'step of al.loop("step", al.range(3))',
};

function questions({ probes }: Program): Question[] {
  const of = (...names: string[]): Probe[] => probes.filter(({ name }) => names.includes(name));
  const only = (...indices: number[]): NonNullable<Question["where"]> => {
    return { sql: `epoch# in (${indices.join(", ")})`, loop: "epoch", in: indices };
  };
  return [
    { kind: "suffix", probes: of("suffix"), where: undefined, workers: 1 },
    { kind: "outer", probes: of("head", "tail"), where: undefined, workers: 2 },
    { kind: "outer", probes: of("one"), where: only(2), workers: 1 },
    { kind: "inner", probes: of("inner"), where: only(1, 3), workers: 1 },
  ];
}

const rows: [string, Program][] = [];
for (const [kind, gadget] of Object.entries({ ...USUAL, ...RARE })) {
  for (const where of ["module", "function", "method"] as const) {
    const items = ["epoch", "step"];
    const parts = { ...RANGES, awaits: false, items };
    rows.push([`${kind} in a ${where}`, training(gadget, where, parts)]);
  }
}
for (const [kind, source] of Object.entries({ ...USUAL_SOURCES, ...RARE_SOURCES })) {
  const { module, awaits = false, body = "" } = source;
  const over = (name: string): string => `${source.item} of al.loop("${name}", ${source.from})`;
  const within = {
    ...RANGES,
    inner: over("step"),
    innerBody: body,
    items: ["epoch", source.value],
  };
  const around = {
    ...RANGES,
    outer: over("epoch"),
    outerBody: body,
    items: [source.value, "step"],
  };
  rows.push([`${kind} as steps`, training(CARRIER, "module", { ...within, module, awaits })]);
  rows.push([`${kind} as epochs`, training(CARRIER, "function", { ...around, module, awaits })]);
}

const chosen = some(rows, { every: 96 });

describe("each kind", () => {
  test.each(chosen)(
    "%s",
    async (_, program) => {
      await checkQuestions(program, { how: "all", all: false }, questions(program));
    },
    120_000,
  );
});
