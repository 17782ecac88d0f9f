/**
 * @file A program of the hunt by its seed: state and sources from `ingredients.ts` in a small
 * training, edits from `edits.ts` in its working tree, and the text whose values are the truth. Every
 * number depends on many before it, so that one wrong restore shows.
 */
import { seededRandom } from "../support/draws.ts";
import type { Gadget } from "../truth/gadgets.ts";
import { BASES } from "./bases/index.ts";
import type { Edit, Parts, Place, Text } from "./edits/edit.ts";
import { PLACES } from "./edits/edit.ts";
import type { Gadgets, Ingredient, Language, Package } from "./ingredients.ts";
import { GADGETS, HARD, HELD, PACKAGED, PACKAGES, SOURCES, UNKNOWN } from "./ingredients.ts";
import { LATER } from "./later.ts";

export type Files = { readonly [name: string]: string };

/** An edit with its number and its numbers of the run filled in. */
export interface Placed {
  readonly edit: Edit;
  readonly text: Text;
  /** What stands there in the truth. */
  readonly truth: Text;
  readonly names: readonly string[];
  /** What the run has for it. */
  readonly run: Parts;
  /** What an older version has instead. */
  readonly older: Parts;
}

export interface Program {
  readonly seed: number;
  readonly language: Language;
  readonly entry: string;
  /** Kinds of state and sources in it, for reports. */
  readonly features: readonly string[];
  /** It needs packages that not every interpreter has. */
  readonly packaged: Package | undefined;
  /** Calls in it that give something else each time. */
  readonly noisy: boolean;
  /** One of them is not known to be such a call: all that follows it may be called different. */
  readonly unknown: boolean;
  /** Two: the older one calls things otherwise. */
  readonly versions: 1 | 2;
  readonly edits: readonly Placed[];
  readonly refused: readonly Placed[];
  /** The program as a version had it, with edits in it. */
  readonly render: (version: number, edits: readonly Placed[]) => Files;
  /** The same with its edits set back, and with what the sources had given. */
  readonly truth: (version: number, had: string) => Files;
}

/** What each version calls things: `@net` in the texts. The last is the working tree's. */
const NAMES: readonly { readonly [name: string]: string }[] = [
  { net: "model", loss: "cost", epoch: "round", step: "i", ask_acc: "right" },
  { net: "net", loss: "loss", epoch: "epoch", step: "step", ask_acc: "ask_acc" },
];

const FOR_PYTHON = ["torch", "numpy"] as const;
const FOR_TYPESCRIPT = ["tfjs", undefined] as const;

/** Far from the seeds of programs. */
const LATER_SEED = 0x9e3779b9;

interface Item {
  readonly text: string;
  /** What an older version has there. */
  readonly older?: string | undefined;
  readonly placed?: Placed;
}

type Places = { [place in Place]?: Item[] };

class Composer {
  readonly #random: () => number;
  /** For what came later: whoever draws nothing of it is composed as before. */
  readonly #later: () => number;
  readonly #language: Language;
  readonly #gadgets: {
    readonly kind: string;
    readonly one: Ingredient;
    readonly noise?: string;
  }[] = [];
  readonly #imports: string[] = [];
  #numbers = 0;

  readonly #table: readonly Edit[];

  constructor(seed: number, language: Language, table: readonly Edit[]) {
    this.#language = language;
    this.#table = table;
    const own = seed * 2 + (language === "python" ? 1 : 0);
    this.#random = seededRandom(own);
    this.#later = seededRandom(own + LATER_SEED);
  }

  compose(seed: number): Program {
    const language = this.#language;
    const base = BASES[language];
    const versions = this.#below(3) === 0 ? 2 : 1;
    const shape = this.#pick(base.shapes);
    const entry = this.#pick(base.entries);
    const form = this.#below(base.bodies.length);
    const noisy = this.#below(4) === 0;
    const unknown = noisy && this.#below(4) === 0;
    const packaged = this.#packaged();
    const count = 2 + this.#below(3);
    // In half of the programs a replay need not execute what is not asked, in others for one reason.
    const others = [0, 0, 1, count][this.#below(4)] ?? 0;
    if (noisy) this.#noise(unknown);
    for (let n = noisy ? 1 : 0; n < count; n++) this.#gadget(n > count - 1 - others);
    this.#laterGadget(packaged);
    const places = this.#updates();
    const fits = (edit: Edit): boolean =>
      (edit.form ?? form) === form && (edit.torch !== true || packaged === "torch");
    const { answered, refused } = this.#edits(versions, fits);
    for (const { run, older } of [...answered, ...refused]) {
      for (const [place, text] of Object.entries(run) as [Place, string][])
        places[place] = [...(places[place] ?? []), { text, older: older[place] }];
    }
    for (const placed of answered) {
      for (const place of Object.keys(placed.text.added ?? {}) as Place[]) {
        // Numbers of the run are there when all of them are declared.
        const items = places[place] ?? [];
        const from = place === "init" || place === "imports" ? items.length : 0;
        places[place] = this.#inserted(items, placed, from);
      }
    }
    const template = shape(base.head, base.bodies[form] ?? "");
    const texts = this.#texts({ template, places, versions, entry });
    return {
      seed,
      language,
      entry,
      features: this.#gadgets.map(({ kind }) => kind),
      packaged,
      unknown,
      noisy: noisy || answered.some(({ edit }) => edit.fresh),
      versions,
      edits: answered,
      refused,
      render: (version, edits) => texts(version, edits),
      truth: (version, had) => texts(version, answered, base.preamble(had)),
    };
  }

  /** How a version of the program is written, with edits in it. */
  #texts({
    template,
    places,
    versions,
    entry,
  }: {
    readonly template: string;
    readonly places: Places;
    readonly versions: number;
    readonly entry: string;
  }): (version: number, edits: readonly Placed[], had?: string) => Files {
    const language = this.#language;
    const base = BASES[language];
    const files = Object.assign({}, ...this.#gadgets.map(({ one }) => fileOf(one))) as Files;
    const packages = language === "typescript" ? PACKAGES : {};
    return (version, edits, had) => {
      const truth = had !== undefined;
      const isOlder = version === 0 && versions === 2;
      const text = renderText(template, { language, places, edits, truth, isOlder });
      const called = text.replaceAll(/\bCALL\((\d+), (.*?)\)(?=$|; had)/gm, (_, n, call) => {
        return truth ? base.given(String(n)) : String(call);
      });
      const named = called.replaceAll(/@(\w+)/g, (whole, name: string) => {
        return NAMES[versions === 1 ? 1 : version]?.[name] ?? whole;
      });
      const older = isOlder ? base.older(named) : named;
      const isTidied = !truth && edits.some(({ edit }) => edit.tidied === true);
      const own = (had ?? "") + (isTidied ? base.tidy(older) : older);
      const more = edits.map((one) => (truth ? one.truth : one.text).files ?? {});
      const beside = truth ? base.truthFiles : {};
      return Object.assign({ [entry]: own }, files, packages, beside, ...more) as Files;
    };
  }

  // --- chance -----------------------------------------------------------------------------------

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(list: readonly T[]): T {
    const found = list[this.#below(list.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }

  // --- state ------------------------------------------------------------------------------------

  /** One program in ten trains with a framework; of Python, one more uses NumPy. */
  #packaged(): Program["packaged"] {
    const drawn = this.#below(10);
    const [model, other] = this.#language === "python" ? FOR_PYTHON : FOR_TYPESCRIPT;
    const which = drawn === 0 ? model : drawn === 1 ? other : undefined;
    if (which) this.#add(this.#pick(Object.keys(PACKAGED[which])), PACKAGED[which]);
    return which;
  }

  #noise(isUnknown: boolean): void {
    const number = String(this.#numbers++);
    const language = this.#language;
    const source = isUnknown ? UNKNOWN[language] : this.#pick(SOURCES[language]);
    if (source.import !== undefined) this.#imports.push(source.import);
    // What is not printed shows in the state alone.
    const isSilent = isUnknown && this.#later() < 1 / 2;
    const loud = BASES[language].noise(number, source.call);
    const one = isSilent ? { ...loud, update: withoutPrint(loud.update) } : loud;
    this.#gadgets.push({ kind: source.call, one, noise: BASES[language].noiseEnd(number) });
  }

  #gadget(mayBeAny: boolean): void {
    const gadgets = GADGETS[this.#language];
    const hard = this.#below(4) === 0 ? HARD[this.#language] : Object.keys(gadgets);
    this.#add(this.#pick(mayBeAny ? hard : HELD[this.#language]), gadgets);
  }

  /** In half of the programs with a package that has such kinds, and in one of eight others. */
  #laterGadget(packaged: Program["packaged"]): void {
    const own = packaged && LATER[packaged];
    const gadgets = own ?? LATER[this.#language] ?? {};
    const kinds = Object.keys(gadgets);
    if (this.#later() >= (own ? 1 / 2 : 1 / 8)) return;
    const kind = kinds[Math.floor(this.#later() * kinds.length)];
    if (kind !== undefined) this.#add(kind, gadgets);
  }

  #add(kind: string, gadgets: Gadgets): void {
    const number = String(this.#numbers++);
    const fill = (text: string): string => text.replaceAll(/\$(?!\{)/g, number);
    const gadget = gadgets[kind];
    if (!gadget) throw new Error(`no kind ${kind}`);
    const file = gadget.file && ([fill(gadget.file[0]), gadget.file[1]] as const);
    const one: Ingredient = {
      declare: fill(gadget.declare),
      update: fill(gadget.update),
      value: fill(gadget.value),
      read: "",
      ...(gadget.module === undefined ? {} : { module: fill(gadget.module) }),
      ...(file === undefined ? {} : { file }),
      ...(gadget.drives === undefined ? {} : { drives: gadget.drives }),
    };
    this.#gadgets.push({ kind, one });
  }

  /** A number in [0, 1) of the program's state; now and then, if it may be, what a source gave. */
  #number(mayBeNoise: boolean): string {
    const isNoise = mayBeNoise && this.#below(5) === 0;
    const quiet = this.#gadgets.filter(({ noise }) => noise === undefined || isNoise);
    return quiet.length === 0 ? "0.4" : this.#pick(quiet).one.value;
  }

  #updates(): Places {
    const { draw, updated } = BASES[this.#language];
    // Or what sources give stays with them.
    const spreads = this.#below(3) === 0;
    const items = (texts: readonly string[]): Item[] => texts.map((text) => ({ text }));
    const modules = [...new Set(this.#gadgets.flatMap(({ one: { module } }) => module ?? []))];
    const isImport = (text: string): boolean => /^(?:import|from) .*$/.test(text);
    const update = ({ one }: { readonly one: Gadget }, drawn: string): string => {
      const [a, b] = [this.#number(spreads), this.#number(spreads)];
      const value = `mix(${a}, ${this.#pick([draw, drawn, b])})`;
      return updated(one.update, value);
    };
    const step: string[] = [];
    const epoch: string[] = [];
    for (const gadget of this.#gadgets) {
      // What is asked about the model's own loop is told apart by steps.
      const isStep = this.#below(3) > 0 || gadget.one.drives;
      if (isStep) step.push(update(gadget, "x"));
      const isEpoch = this.#below(3) === 0 && !gadget.one.drives;
      if (!isStep || isEpoch) epoch.push(update(gadget, "@loss"));
    }
    return {
      imports: items([...new Set([...this.#imports, ...modules.filter(isImport)])]),
      functions: items(modules.filter((text) => !isImport(text))),
      init: items(this.#gadgets.flatMap(({ one }) => (one.declare === "" ? [] : one.declare))),
      step: items(step),
      epoch: items(epoch),
      end: items(this.#gadgets.flatMap(({ noise }) => noise ?? [])),
    };
  }

  // --- edits ------------------------------------------------------------------------------------

  #edits(
    versions: number,
    fits: (edit: Edit) => boolean,
  ): { readonly answered: Placed[]; readonly refused: Placed[] } {
    const all = this.#table.filter((edit) => edit[this.#language] !== undefined && fits(edit));
    const known = all.filter(({ later }) => later === undefined);
    const asked = known.filter(({ refused, lands = false }) => {
      return refused === undefined && (lands || versions === 1);
    });
    const count = Math.min(2 + this.#below(3), asked.length);
    const answered: Placed[] = [];
    const taken = new Set<string>();
    for (let tries = 0; answered.length < count && tries < 100; tries++) {
      const edit = this.#pick(asked);
      const marks = Object.keys(edit[this.#language]?.changed ?? {});
      const own = [edit.kind, ...marks.filter((mark) => !mark.includes("$"))];
      if (own.some((one) => taken.has(one)) || (edit.alone && answered.length > 0)) continue;
      for (const one of own) taken.add(one);
      answered.push(this.#placed(edit));
      if (edit.alone) break;
    }
    const isAlone = answered.some(({ edit }) => edit.alone);
    if (versions > 1 && !isAlone)
      answered.push(...this.#laterEdit(all.filter((edit) => edit.later)));
    const others = known.filter(({ refused }) => refused !== undefined);
    const refused = others.length === 0 || this.#below(3) > 0 ? [] : [this.#pick(others)];
    return { answered, refused: refused.map((edit) => this.#placed(edit)) };
  }

  /** In one of four programs of two versions. */
  #laterEdit(edits: readonly Edit[]): Placed[] {
    const edit = edits[Math.floor(this.#later() * edits.length * 4)];
    return edit ? [this.#placed(edit)] : [];
  }

  #placed(edit: Edit): Placed {
    const number = String(this.#numbers++);
    const [a, b] = [this.#number(true), this.#number(true)];
    const fill = (text: string): string =>
      text
        .replaceAll(/\$(?!\{)/g, number)
        .replaceAll(/\bA\b/g, a)
        .replaceAll(/\bB\b/g, b);
    const text = filled(edit[this.#language] ?? {}, fill);
    const own = edit.truth?.[this.#language];
    const names = new Set(JSON.stringify(text).match(/\bask_\w+/g));
    return {
      edit,
      text,
      truth: own ? filled(own, fill) : text,
      names: edit.asks?.map(fill) ?? [...names],
      run: each(edit.run?.[this.#language] ?? {}, fill),
      older: each(edit.older?.[this.#language] ?? {}, fill),
    };
  }

  /** Between two of the statements that are there, or at an end of them. */
  #inserted(items: readonly Item[], placed: Placed, from: number): Item[] {
    const at = from + this.#below(items.length + 1 - from);
    return [...items.slice(0, at), { text: "", placed }, ...items.slice(at)];
  }
}

function withoutPrint(update: string): string {
  return update.replace(/\s(?:print|console\.log)\("seen.*$/, "");
}

type Texts = { readonly [name: string]: string };

function each(texts: Texts, fill: (text: string) => string): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, one]) => [fill(name), fill(one)]));
}

function filled(
  { added = {}, changed = {}, files = {} }: Text,
  fill: (text: string) => string,
): Text {
  return { added: each(added, fill), changed: each(changed, fill), files: each(files, fill) };
}

function fileOf({ file }: Gadget): Files {
  return file ? { [file[0]]: file[1] } : {};
}

interface Rendering {
  readonly language: Language;
  readonly places: Places;
  readonly edits: readonly Placed[];
  readonly truth: boolean;
  readonly isOlder: boolean;
}

/** Lines `<<place>>` and `<<mark: statement>>` of a template, filled; also in what fills them. */
function renderText(template: string, rendering: Rendering): string {
  const lines = template.split("\n").flatMap((line) => {
    const [, indent = "", name = "", statement] = /^( *)<<(\w+)(?:: (.*))?>>$/.exec(line) ?? [];
    if (name === "") return [line];
    if (name === "truth") return rendering.truth ? [indent + (statement ?? "")] : [];
    const place = PLACES.find((one) => one === name);
    const text =
      place !== undefined
        ? placeText(place, rendering)
        : changedText(name, statement ?? "", rendering);
    return text === ""
      ? []
      : renderText(text, rendering)
          .split("\n")
          .map((one) => indent + one);
  });
  return lines.join("\n");
}

function placeText(place: Place, { language, places, edits, truth, isOlder }: Rendering): string {
  const texts = (places[place] ?? []).flatMap(({ text, older = text, placed }) => {
    if (!placed) return [isOlder ? older : text];
    if (!edits.includes(placed)) return [];
    const added = (truth ? placed.truth : placed.text).added?.[place] ?? "";
    return [truth && placed.edit.aside ? BASES[language].aside(added) : added];
  });
  // What is refused stands alone in the working tree, at the end of its place.
  const alone = edits.filter((one) => one.edit.refused !== undefined);
  const more = alone.flatMap(({ text }) => text.added?.[place] ?? []);
  return [...texts, ...more].filter((text) => text !== "").join("\n");
}

function changedText(mark: string, statement: string, { edits, truth }: Rendering): string {
  const texts = edits.flatMap((one) => (truth ? one.truth : one.text).changed?.[mark] ?? []);
  return texts[0] ?? statement;
}

export function compose(seed: number, language: Language, table: readonly Edit[]): Program {
  return new Composer(seed, language, table).compose(seed);
}
