/**
 * @file What a person did to a file between two versions of it, by statement: block by block, in
 * order, those that only one version has. Statements are the same if they say the same: comments and
 * layout do not count.
 */
import type { MovedText } from "../../format/index.ts";
import type { ParsedFile, Shape, Statement, StatementList } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { asWritten, bodiesWithBraces, withBraces } from "./changed-lines/braces.ts";
import { takingMore } from "./changed-lines/extended.ts";
import { ObjectUses } from "./changed-lines/object-uses.ts";
import { Forms } from "./forms.ts";
import type { Moved } from "./moved.ts";
import { movedStatements, withMoreImports } from "./moved.ts";
import type { OtherFiles } from "./changed-lines/other-files.ts";
import { ALONE } from "./changed-lines/other-files.ts";
import type { Shaped, Versions, Widened } from "./changed-lines/shapes.ts";
import { Shapes } from "./changed-lines/shapes.ts";
import { withDecorators } from "./changed-lines/own-decorators.ts";
import type { Pair } from "./sequences.ts";
import { alignedPairs } from "./sequences.ts";
import { agreeing } from "./changed-lines/widened.ts";
import { unwrapping, Wrappers } from "./changed-lines/wrapped.ts";

/** What stands between two neighbours of a block that both versions have. */
export interface Gap {
  readonly then: StatementList;
  readonly now: StatementList;
  /** Statements that only the older version has, from its number `thenAt` on. */
  readonly gone: readonly Statement[];
  readonly thenAt: number;
  /** Statements that only the newer version has, from its number `nowAt` on. */
  readonly added: readonly Statement[];
  readonly nowAt: number;
  /** Those of `added` that are the same program as some of `gone`, with more to see. */
  readonly shaped: ReadonlyMap<Statement, Shaped>;
  /** Those of `gone` that the newer version has elsewhere in the block, where they do the same. */
  readonly away: readonly Statement[];
  /** Such statements of the newer version, between the same neighbours; they are not in `added`. */
  readonly here: readonly Statement[];
  /** Those of `gone` that stand nowhere, not in `shaped` either, and that do more than to log. */
  readonly lost: readonly Statement[];
  /** Log calls among them: what the run logged there is compared, so they stay. */
  readonly lostLogs: readonly Statement[];
  /** Whether the block, and every block around it, only gained statements, or lost log calls. */
  readonly isOnlyGained: boolean;
}

/** By file, where the statements of a question begin in the newer text. */
export type QuestionStarts = ReadonlyMap<string, ReadonlySet<number>>;

export interface FileEdit {
  readonly then: ParsedFile;
  readonly now: ParsedFile;
  /** Those in which something differs. */
  readonly gaps: readonly Gap[];
  /** Statements that both have, and that say something else now around their blocks. */
  readonly changed: readonly ChangedStatement[];
  /** Those of `added` that the older version seems to have elsewhere, and no longer there. */
  readonly displaced: ReadonlySet<Statement>;
  /** Where something of the newer text began in the older one, by offsets; undefined: it is new. */
  readonly startBefore: (offset: number) => number | undefined;
  /** Where what the older one says stands in the newer one. */
  readonly moved: readonly MovedText[];
  /** What seems to give or take more than it did, whether or not all of the program does. */
  readonly widened: readonly Widened[];
}

export interface ChangedStatement {
  readonly then: Statement;
  readonly now: Statement;
}

/** What is known of statements that are in one version only, by what they say. */
export interface Recognition {
  /** Of a statement of the newer version, the one of some that are gone that it is, though changed. */
  before(this: void, now: Statement, gone: readonly Statement[]): Statement | undefined;
  /** Whether a statement holds what others were that are gone. */
  holdsOld(this: void, now: Statement, gone: readonly Statement[]): boolean;
}

/**
 * Compares two versions of a file. A statement that was changed is one that is gone and one that was
 * added, unless it is recognised.
 */
export function editBetween(
  then: ParsedFile,
  now: ParsedFile,
  recognition?: Recognition,
  others: OtherFiles = ALONE,
): FileEdit {
  const written = asWritten(then);
  for (let bodies = bodiesWithBraces(written, now); ;) {
    const old = withBraces(written, bodies);
    const alignment = new Alignment(old, now, { recognition, others });
    const edit = { then: old, now, ...alignment.run() };
    const kept = bodies.filter(({ block }) => !isRestored(edit, block));
    if (kept.length === bodies.length) return edit;
    bodies = kept;
  }
}

/** Whether the older version's own text is needed around something: it is no longer as it was. */
function isRestored({ gaps, changed }: FileEdit, part: Span): boolean {
  const old = gaps.flatMap((gap) => [...gap.lost, ...gap.lostLogs, ...gap.away]);
  return [...old, ...changed.map((one) => one.then)].some(({ node }) => isInside(part, node));
}

/** Two blocks that are paired, in one that is. */
interface AlignedBlock {
  readonly around: AlignedBlock | undefined;
  readonly gaps: (Omit<Gap, "lost" | "lostLogs" | "isOnlyGained" | "shaped"> & {
    readonly shaped: Map<Statement, Shaped>;
  })[];
  /** Whether a statement of it was changed. */
  readonly isChanged: boolean;
}

class Alignment {
  readonly #then: ParsedFile;
  readonly #now: ParsedFile;
  readonly #formsThen: Forms;
  readonly #formsNow: Forms;
  readonly #versions: Versions;
  readonly #shapes: Shapes;
  readonly #wrappers: Wrappers;
  readonly #recognition: Recognition | undefined;
  readonly #blocks: AlignedBlock[] = [];
  readonly #changed: ChangedStatement[] = [];
  readonly #starts = new Map<number, number>();

  constructor(
    then: ParsedFile,
    now: ParsedFile,
    known: { readonly recognition: Recognition | undefined; readonly others: OtherFiles },
  ) {
    const { recognition, others } = known;
    this.#recognition = recognition;
    this.#then = then;
    this.#now = now;
    const numbers = new Map<string, number>();
    this.#formsThen = new Forms(then, numbers);
    this.#formsNow = new Forms(now, numbers);
    const [formsThen, formsNow] = [this.#formsThen, this.#formsNow];
    const flow = new ObjectUses(then, others);
    this.#versions = { then, now, formsThen, formsNow, others, flow };
    this.#shapes = new Shapes(this.#versions);
    this.#wrappers = new Wrappers(this.#versions, (gone, list) => this.#pairedIn(gone, list));
  }

  run(): Omit<FileEdit, "then" | "now"> {
    const [then, now] = [this.#then.lists[0], this.#now.lists[0]];
    if (then && now) this.#block(then, now, undefined);
    const startBefore = (offset: number): number | undefined => this.#starts.get(offset);
    const gaps = this.#gaps();
    const displaced = this.#displaced(gaps);
    const shaped = this.#blocks.flatMap((block) => block.gaps.flatMap((gap) => [...gap.shaped]));
    const widened = shaped.flatMap(([, one]) => one.widened ?? []);
    return { gaps, widened, changed: this.#changed, startBefore, moved: this.#moved(), displaced };
  }

  #gaps(): Gap[] {
    const drafts = this.#blocks.flatMap((block) => block.gaps);
    withDecorators(this.#now, drafts);
    const all = new Map(drafts.flatMap((gap) => [...gap.shaped]));
    const shaped = takingMore(agreeing(all, this.#versions), this.#then);
    const complete = new Map(
      drafts.map((gap) => {
        const own = new Map([...shaped].filter(([statement]) => gap.shaped.has(statement)));
        const kept = new Set([
          ...gap.away,
          ...[...own.values()].flatMap(({ then, wraps }) => wraps?.then ?? then ?? []),
        ]);
        const unpaired = gap.gone.filter((one) => !kept.has(one));
        const lost = unpaired.filter(({ isLog }) => !isLog);
        const lostLogs = unpaired.filter(({ isLog }) => isLog);
        return [gap, { ...gap, shaped: own, lost, lostLogs }];
      }),
    );
    const hasLost = ({ gaps }: AlignedBlock): boolean =>
      gaps.some((gap) => (complete.get(gap)?.lost.length ?? 0) > 0);
    const isOnlyGained = (block: AlignedBlock): boolean =>
      !block.isChanged && !hasLost(block) && (!block.around || isOnlyGained(block.around));
    return this.#blocks.flatMap((block) => {
      return block.gaps.flatMap((gap) => {
        const whole = complete.get(gap);
        return whole ? [{ ...whole, isOnlyGained: isOnlyGained(block) }] : [];
      });
    });
  }

  #displaced(gaps: readonly Gap[]): Set<Statement> {
    const lost = gaps.flatMap((gap) => gap.lost);
    const added = gaps.flatMap((gap) => gap.added.filter((one) => !gap.shaped.has(one)));
    return new Set(
      added.filter((one) => {
        return !one.isLog && this.#recognition?.before(one, lost) !== undefined;
      }),
    );
  }

  #moved(): MovedText[] {
    const moved: MovedText[] = [];
    const starts = [...this.#starts].toSorted(([, a], [, b]) => a - b);
    for (const [now, then] of starts) {
      const [old, own] = [this.#then.lines.at(then), this.#now.lines.at(now)];
      const [lines, columns] = [own.line - old.line, own.column - old.column];
      const [, , linesBefore = 0, columnsBefore = 0] = moved.at(-1) ?? [];
      const isSame = lines === linesBefore && columns === columnsBefore;
      if (!isSame) moved.push([old.line, old.column, lines, columns]);
    }
    return moved;
  }

  /** `range`: which of the older version's statements the newer one's block has. */
  #block(
    then: StatementList,
    now: StatementList,
    around: AlignedBlock | undefined,
    range: Pair = [0, then.statements.length],
  ): void {
    const own = then.statements.slice(...range);
    const same = this.#samePairs(own, now).map(([a, b]): Pair => [a + range[0], b]);
    const changed = this.#changedPairs(then, now, same, range);
    const pairs = [...same, ...changed].toSorted((one, other) => one[1] - other[1]);
    const block: AlignedBlock = { around, gaps: [], isChanged: changed.length > 0 };
    const moved = this.#movedBeside(
      own,
      now,
      pairs.map(([a, b]) => [then.statements[a], now.statements[b]]),
    );
    this.#blocks.push(block);
    let [thenAt, nowAt] = [range[0], 0];
    const end: Pair = [range[1], now.statements.length];
    for (const [thenEnd, nowEnd] of [...pairs, end]) {
      this.#between({ then, now, from: [thenAt, nowAt], to: [thenEnd, nowEnd], moved }, block);
      [thenAt, nowAt] = [thenEnd + 1, nowEnd + 1];
    }
    for (const pair of pairs) {
      const [old, own] = [then.statements[pair[0]], now.statements[pair[1]]];
      if (!old || !own) continue;
      if (changed.includes(pair)) this.#changedStatement(old, own, block);
      else this.#statement(old, own, block);
    }
    for (const [own, old] of moved.here) if (old) this.#statement(old, own, block);
    for (const [statement, shaped] of block.gaps.flatMap((gap) => [...gap.shaped])) {
      const { wraps } = shaped;
      if (!wraps?.then[0]) this.#shaped(statement, shaped, block);
      else {
        const first = then.statements.indexOf(wraps.then[0]);
        this.#block(then, wraps.block, block, [first, first + wraps.then.length]);
      }
    }
  }

  #samePairs(then: readonly Statement[], now: StatementList): Pair[] {
    return alignedPairs(
      then.map((statement) => this.#formsThen.of(statement)),
      now.statements.map((statement) => this.#formsNow.of(statement)),
      (i, j) => this.#likeness(then[i], now.statements[j]),
    );
  }

  /** How much of two statements is the same: below 1. */
  #likeness(then: Statement | undefined, now: Statement | undefined): number {
    if (!then || !now) return 0;
    const [old, own] = [this.#formsThen.partsOf(then), this.#formsNow.partsOf(now)];
    const same = [...old].filter((one) => own.has(one)).length;
    return same / (Math.max(old.size, own.size) + 1);
  }

  /** Which of some statements that are gone a block has, as they were or changed. */
  #pairedIn(gone: readonly Statement[], now: StatementList): Statement[] {
    const same = this.#samePairs(gone, now).flatMap(([at]) => gone[at] ?? []);
    const shaped = [...this.#shapes.find(gone, now.statements).values()];
    const changed = now.statements.flatMap((one) => this.#recognition?.before(one, gone) ?? []);
    return [...same, ...shaped.flatMap(({ then }) => then ?? []), ...changed];
  }

  /** What stands between two neighbours, by what was added around statements of the older version. */
  #between({ then, now, from, to, moved }: Stretch, block: AlignedBlock): void {
    let [thenAt, nowAt] = from;
    for (let at = nowAt; at < to[1]; at++) {
      const own = now.statements[at];
      const wraps = own && this.#wrappers.find(own, then.statements.slice(thenAt, to[0]));
      if (!own || !wraps?.then[0]) continue;
      const first = then.statements.indexOf(wraps.then[0]);
      this.#gap({ then, now, from: [thenAt, nowAt], to: [first, at], moved }, block);
      const undo = unwrapping(this.#now, own, wraps.block);
      const shaped = { then: undefined, undo, group: {}, same: [], wraps };
      const gap = { then, now, gone: wraps.then, thenAt: first, added: [own], nowAt: at };
      const none = { away: [], here: [] };
      block.gaps.push({ ...gap, ...none, shaped: new Map([[own, shaped]]) });
      [thenAt, nowAt] = [first + wraps.then.length, at + 1];
    }
    this.#gap({ then, now, from: [thenAt, nowAt], to, moved }, block);
  }

  #gap({ then, now, from: [thenAt, nowAt], to, moved }: Stretch, block: AlignedBlock): void {
    const gone = then.statements.slice(thenAt, to[0]);
    const between = now.statements.slice(nowAt, to[1]);
    const away = gone.filter((one) => moved.away.has(one));
    const here = between.filter((one) => moved.here.has(one));
    const [others, all] = [
      gone.filter((one) => !moved.away.has(one)),
      between.filter((one) => !moved.here.has(one)),
    ];
    const shaped = this.#shapes.find(others, all);
    for (const statement of all) {
      const old = moved.more.get(statement);
      const own = { statement, old, isElsewhere: !gone.some((one) => one === old) };
      if (old) shaped.set(statement, withMoreImports(this.#versions, { ...own, old }));
    }
    const added = all.filter((one) => {
      return shaped.has(one) || this.#recognition?.holdsOld(one, gone) !== true;
    });
    if (gone.length + added.length + here.length > 0) {
      block.gaps.push({ then, now, gone, thenAt, added, nowAt, shaped, away, here });
    }
  }

  /** Those that are in no pair, and say the same elsewhere in the block. */
  #movedBeside(
    then: readonly Statement[],
    now: StatementList,
    pairs: readonly (readonly [Statement | undefined, Statement | undefined])[],
  ): Moved {
    const paired = new Set(pairs.flat());
    return movedStatements(
      this.#versions,
      then.filter((one) => !paired.has(one)),
      now.statements.filter((one) => !paired.has(one)),
    );
  }

  /** Between statements that are the same: those that were changed, in order. */
  #changedPairs(
    then: StatementList,
    now: StatementList,
    same: readonly Pair[],
    range: Pair,
  ): Pair[] {
    const found: Pair[] = [];
    let [thenAt, nowAt] = [range[0], 0];
    const end: Pair = [range[1], now.statements.length];
    for (const [thenEnd, nowEnd] of this.#recognition ? [...same, end] : []) {
      const gone = then.statements.slice(thenAt, thenEnd);
      const added = gone.length > 0 ? now.statements.slice(nowAt, nowEnd) : [];
      const shaped = this.#shapes.find(gone, added);
      const old = new Set([...shaped.values()].map((one) => one.then));
      // What stands before another one cannot be what stood behind it.
      let left = gone.filter((one) => !old.has(one));
      for (const own of added.filter((one) => !shaped.has(one))) {
        const before = this.#recognition?.before(own, left);
        if (!before) continue;
        found.push([then.statements.indexOf(before), now.statements.indexOf(own)]);
        left = left.slice(left.indexOf(before) + 1);
      }
      [thenAt, nowAt] = [thenEnd + 1, nowEnd + 1];
    }
    return found;
  }

  #changedStatement(then: Statement, now: Statement, around: AlignedBlock): void {
    this.#changed.push({ then, now });
    this.#starts.set(now.node.start, then.node.start);
    this.#inside(then, now, around);
  }

  /** A statement that stands for one of the older version. */
  #shaped(now: Statement, { then, same }: Shaped, around: AlignedBlock): void {
    if (!then) return;
    this.#starts.set(now.node.start, then.node.start);
    for (const [old, own] of same) this.#noteStarts(old, own, true);
    this.#inside(then, now, around);
  }

  /** Two statements that say the same, but perhaps for what stands in their blocks. */
  #statement(then: Statement, now: Statement, around: AlignedBlock): void {
    const [old, own] = [this.#formsThen.of(then), this.#formsNow.of(now)];
    const isSame = old.whole === own.whole;
    this.#noteStarts(old.shape, own.shape, isSame);
    if (!isSame) this.#inside(then, now, around);
  }

  #inside(then: Statement, now: Statement, around: AlignedBlock): void {
    const blocks = this.#formsNow.blocksIn(now);
    for (const [at, block] of this.#formsThen.blocksIn(then).entries()) {
      const other = blocks[at];
      if (other) this.#block(block, other, around);
    }
  }

  /** `isSame`: in blocks, too. */
  #noteStarts(then: Shape, now: Shape, isSame: boolean): void {
    // A block may begin where its first statement does, and that may be new.
    if (!isSame && this.#formsNow.isBlock(now)) return;
    this.#starts.set(now.start, then.start);
    for (const [at, part] of now.parts.entries()) {
      const other = then.parts[at];
      if (other) this.#noteStarts(other, part, isSame);
    }
  }
}

/** Statements of two blocks, from and up to their numbers in them. */
interface Stretch {
  readonly then: StatementList;
  readonly now: StatementList;
  readonly from: Pair;
  readonly to: Pair;
  readonly moved: Moved;
}

/** Runs of statements that were added, with nothing of the older version between them. */
export function addedRuns({ gaps }: Pick<FileEdit, "gaps">): Statement[][] {
  return gaps.flatMap(({ added, shaped }) => {
    const runs: Statement[][] = [[]];
    for (const statement of added) {
      if (shaped.has(statement)) runs.push([]);
      else runs.at(-1)?.push(statement);
    }
    return runs.filter((run) => run.length > 0);
  });
}

/** Where statements were added, without those of the older version that now stand in one. */
export function addedText({ gaps }: Pick<FileEdit, "gaps">): Span[] {
  return gaps.flatMap(({ added, shaped }): Span[] => {
    return added.flatMap((one): readonly Span[] => {
      const { wraps, undo } = shaped.get(one) ?? {};
      return wraps && undo ? undo : [one.node];
    });
  });
}
