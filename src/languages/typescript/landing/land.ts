/**
 * @file Log statements of one version of the source, put into another (FlorDB §5.3; the algorithm is
 * described in docs/propagation.md). The trees are paired without the statements; each then goes to
 * the gap that its surroundings are paired with.
 */
import type { Node } from "oxc-parser";
import type { Landing, LandingRequest, Landings, Verdict } from "../../../format/index.ts";
import type { LinesAround, Mapping, Place } from "../../../tree/index.ts";
import { findPlace, Interner, LineEvidence, matchTrees } from "../../../tree/index.ts";
import { indentAt, insertAll, slotFor, styleOf, written } from "./layout.ts";
import type { Insertion, Written } from "./layout.ts";
import type { NeutralTree } from "./neutral-tree.ts";
import { neutralTree } from "./neutral-tree.ts";
import type { Source } from "./source.ts";
import { readSource } from "./source.ts";
import type { Unit } from "./unit.ts";
import { unitAt } from "./unit.ts";
import { isSameApartFrom } from "./verify.ts";

/** Finds where statements of the newer version go in an older one, and puts them there. */
export function landStatements(request: LandingRequest): Landings {
  const { now, then, statements } = request;
  const text = now.text(now.file);
  const source = text === undefined ? undefined : readSource(now.file, text);
  const refuse = (refusal: string, reason: string): Landings => {
    return { landings: statements.map(() => cannot(refusal, reason)), overlays: [] };
  };
  if (!source) return refuse("parse_error_in_region", `${now.file} cannot be parsed`);
  const file = request.decided?.file ?? now.file;
  const oldText = then.text(file);
  if (oldText === undefined) return refuse("missing_block", `that version has no ${file}`);
  const old = readSource(file, oldText);
  if (!old) return refuse("parse_error_in_region", `${now.file} of that version cannot be parsed`);
  const units = statements.map((place) => unitAt(source, place));
  return new Propagation(source, old, units).land();
}

function cannot(refusal: string, reason: string): Landing {
  return {
    verdict: "cannot",
    file: null,
    line: null,
    column: null,
    text: null,
    confidence: 0,
    reason,
    warnings: [],
    carried: [],
    renames: [],
    refusal,
  };
}

interface Draft {
  readonly place: Place;
  readonly lines: LinesAround;
  readonly text: string;
  readonly insertions: readonly Insertion[];
  readonly own: number;
  readonly at: number;
}

class Propagation {
  readonly #now: Source;
  readonly #then: Source;
  readonly #units: readonly (Unit | undefined)[];
  readonly #nowTree: NeutralTree;
  readonly #thenTree: NeutralTree;
  readonly #mapping: Mapping;
  readonly #evidence: LineEvidence;

  constructor(now: Source, then: Source, units: readonly (Unit | undefined)[]) {
    this.#now = now;
    this.#then = then;
    this.#units = units;
    const interner = new Interner();
    const without = new Set(units.flatMap((unit) => (unit ? [unit.node] : [])));
    this.#nowTree = neutralTree(now.program, interner, without);
    this.#thenTree = neutralTree(then.program, interner);
    this.#mapping = matchTrees(this.#nowTree, this.#thenTree);
    this.#evidence = new LineEvidence(
      { ...this.#nowTree, text: now.text },
      { ...this.#thenTree, text: then.text },
      [...without],
    );
  }

  land(): Landings {
    const drafts = this.#units.map((unit) => this.#draft(unit));
    const all = drafts.flatMap((draft) => ("place" in draft ? draft.insertions : []));
    const { text, spans } = insertAll(this.#then.text, all);
    const result = readSource(this.#then.file, text);
    if (!result || !isSameApartFrom(this.#then.program, result.program, spans)) {
      const why = "the changed text would not be the old program with the statement in it";
      return { landings: drafts.map(() => cannot("parse_error_in_region", why)), overlays: [] };
    }
    let done = 0;
    const landings = drafts.map((draft): Landing => {
      if (!("place" in draft)) return draft;
      const span = spans[done + draft.own];
      done += draft.insertions.length;
      const { line, column } = result.lines.at((span?.start ?? 0) + draft.at);
      return {
        ...this.#judge(draft),
        file: this.#then.file,
        line,
        column,
        text: draft.text,
        warnings: [],
        carried: [],
        renames: [],
        refusal: null,
      };
    });
    return { landings, overlays: all.length > 0 ? [{ file: this.#then.file, text }] : [] };
  }

  #draft(unit: Unit | undefined): Draft | Landing {
    if (!unit) return cannot("parse_error_in_region", "there is no statement at that place");
    const block = this.#nowTree.nodeOf.get(unit.owner);
    if (!block) return cannot("missing_block", "the statement stands in no block");
    const index = block.children.filter(({ start }) => start < unit.node.start).length;
    const lines = this.#evidence.around(unit.node);
    const place = findPlace(this.#mapping, { block, index }, lines, "before");
    if (!place) return cannot("missing_block", "nothing around it exists in that version");
    const style = styleOf(this.#then.text);
    const slot = slotFor({ source: this.#then, style, ...place, braces: "written" });
    const text = written(this.#written(unit.node), style, slot.indent);
    const { all, own, at } = slot.insertions(text);
    return { place, lines, text, insertions: all, own, at };
  }

  #written(node: Node): Written {
    return {
      text: this.#now.text.slice(node.start, node.end),
      indent: indentAt(this.#now, node.start),
      step: styleOf(this.#now.text).indent,
      kept: new Set(),
      endsWithSemicolon: node.type === "ExpressionStatement",
    };
  }

  #judge({ place, lines, insertions }: Draft): Pick<Landing, "verdict" | "confidence" | "reason"> {
    const offset = insertions[0]?.offset ?? 0;
    const agrees = lines.from <= offset && offset <= lines.to;
    const isSteady = [place.before, place.after].every((one) => one === "same" || one === "edge");
    const verdict: Verdict =
      isSteady && agrees && lines.isTight ? "exact" : agrees ? "moved" : "review";
    const confidence = verdict === "exact" ? 0.99 : agrees ? 0.9 : 0.6;
    const reason = isSteady ? "the statements around it are the same" : "by what is around it";
    return { verdict, confidence, reason };
  }
}
