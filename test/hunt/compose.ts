/**
 * @file A program of the hunt by its seed: state and sources from `ingredients.ts` in a small
 * training, edits from `edits.ts` in its working tree, and the text whose values are the truth. Every
 * number depends on many before it, so that one wrong restore shows.
 */
import { seededRandom } from "../support/draws.ts";
import type { Gadget } from "../truth/gadgets.ts";
import type { Changeable, Edit, Place, Text } from "./edits.ts";
import type { Language } from "./ingredients.ts";
import { GADGETS, PACKAGES, SOURCES } from "./ingredients.ts";
import { BASES } from "./bases.ts";

export type Files = { readonly [name: string]: string };

/** An edit with its number and its numbers of the run filled in. */
export interface Placed {
  readonly edit: Edit;
  readonly text: Text;
  /** What stands there in the truth. */
  readonly truth: Text;
  readonly names: readonly string[];
}

export interface Program {
  readonly seed: number;
  readonly language: Language;
  readonly entry: string;
  /** Kinds of state and sources in it, for reports. */
  readonly features: readonly string[];
  /** Calls in it that give something else each time. */
  readonly noisy: boolean;
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
  { net: "model", loss: "cost", epoch: "round", step: "i" },
  { net: "net", loss: "loss", epoch: "epoch", step: "step" },
];

interface Item {
  readonly text: string;
  readonly placed?: Placed;
}

class Composer {
  readonly #random: () => number;
  readonly #language: Language;
  readonly #gadgets: { readonly kind: string; readonly one: Gadget; readonly noise?: string }[] =
    [];
  readonly #imports: string[] = [];
  #numbers = 0;

  readonly #table: readonly Edit[];

  constructor(seed: number, language: Language, table: readonly Edit[]) {
    this.#language = language;
    this.#table = table;
    this.#random = seededRandom(seed * 2 + (language === "python" ? 1 : 0));
  }

  compose(seed: number): Program {
    const language = this.#language;
    const base = BASES[language];
    const versions = this.#below(3) === 0 ? 2 : 1;
    const shape = this.#pick(base.shapes);
    const entry = this.#pick(base.entries);
    const noisy = this.#below(4) === 0;
    const count = 2 + this.#below(3);
    for (let n = 0; n < count; n++) this.#gadget(noisy && n === 0);
    const places = this.#updates();
    const { answered, refused } = this.#edits(versions);
    for (const placed of answered) {
      for (const place of Object.keys(placed.text.added ?? {}) as Place[]) {
        // Numbers of the run are there when all of them are declared.
        const items = places[place] ?? [];
        const from = place === "init" || place === "imports" ? items.length : 0;
        places[place] = this.#inserted(items, placed, from);
      }
    }
    const files = Object.assign({}, ...this.#gadgets.map(({ one }) => fileOf(one))) as Files;
    const packages = language === "typescript" ? PACKAGES : {};
    const texts = (version: number, edits: readonly Placed[], had?: string): Files => {
      const template = shape(base.head, base.body);
      const truth = had !== undefined;
      const text = renderText(template, { language, places, edits, truth });
      const called = text.replaceAll(/\bCALL\((\d+), (.*?)\)(?=$|; had)/gm, (_, n, call) => {
        return truth ? base.given(String(n)) : String(call);
      });
      const named = called.replaceAll(/@(\w+)/g, (whole, name: string) => {
        return NAMES[versions === 1 ? 1 : version]?.[name] ?? whole;
      });
      const own = version === 0 && versions === 2 ? base.older(named) : named;
      const more = edits.map(({ text: { files: added = {} } }) => added);
      return Object.assign({ [entry]: (had ?? "") + own }, files, packages, ...more) as Files;
    };
    return {
      seed,
      language,
      entry,
      features: this.#gadgets.map(({ kind }) => kind),
      noisy,
      versions,
      edits: answered,
      refused,
      render: (version, edits) => texts(version, edits),
      truth: (version, had) => texts(version, answered, base.preamble(had)),
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

  #gadget(isNoise: boolean): void {
    const number = String(this.#numbers++);
    const fill = (text: string): string => text.replaceAll(/\$(?!\{)/g, number);
    if (isNoise) {
      const { import: imported, call } = this.#pick(SOURCES[this.#language]);
      if (imported !== undefined) this.#imports.push(imported);
      const one = BASES[this.#language].noise(number, call);
      this.#gadgets.push({ kind: call, one, noise: BASES[this.#language].noiseEnd(number) });
      return;
    }
    const kind = this.#pick(Object.keys(GADGETS[this.#language]));
    const gadget = GADGETS[this.#language][kind];
    if (!gadget) throw new Error(`no kind ${kind}`);
    const file = gadget.file && ([fill(gadget.file[0]), gadget.file[1]] as const);
    const one: Gadget = {
      declare: fill(gadget.declare),
      update: fill(gadget.update),
      value: fill(gadget.value),
      read: "",
      ...(gadget.module === undefined ? {} : { module: fill(gadget.module) }),
      ...(file === undefined ? {} : { file }),
    };
    this.#gadgets.push({ kind, one });
  }

  /** A number in [0, 1) of the program's state; now and then, if it may be, what a source gave. */
  #number(mayBeNoise: boolean): string {
    const isNoise = mayBeNoise && this.#below(5) === 0;
    const quiet = this.#gadgets.filter(({ noise }) => noise === undefined || isNoise);
    return quiet.length === 0 ? "0.4" : this.#pick(quiet).one.value;
  }

  #updates(): { [place in Place]?: Item[] } {
    const { declaration, draw, updated } = BASES[this.#language];
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
      const isStep = this.#below(3) > 0;
      if (isStep) step.push(update(gadget, "x"));
      if (!isStep || this.#below(3) === 0) epoch.push(update(gadget, "@loss"));
    }
    return {
      imports: items([...new Set([...this.#imports, ...modules.filter(isImport)])]),
      functions: items(modules.filter((text) => !isImport(text))),
      init: items(this.#gadgets.flatMap(({ one }) => (one.declare === "" ? [] : declaration(one)))),
      step: items(step),
      epoch: items(epoch),
      end: items(this.#gadgets.flatMap(({ noise }) => noise ?? [])),
    };
  }

  // --- edits ------------------------------------------------------------------------------------

  #edits(versions: number): { readonly answered: Placed[]; readonly refused: Placed[] } {
    const known = this.#table.filter((edit) => edit[this.#language] !== undefined);
    const asked = known.filter(({ refused, lands = false }) => {
      return refused === undefined && (lands || versions === 1);
    });
    const count = Math.min(2 + this.#below(3), asked.length);
    const answered: Placed[] = [];
    const changed = new Set<string>();
    while (answered.length < count) {
      const edit = this.#pick(asked);
      const lines = Object.keys(edit[this.#language]?.changed ?? {});
      if (lines.some((line) => changed.has(line))) continue;
      for (const line of lines) changed.add(line);
      answered.push(this.#placed(edit));
    }
    const others = known.filter(({ refused }) => refused !== undefined);
    const refused = others.length === 0 || this.#below(3) > 0 ? [] : [this.#pick(others)];
    return { answered, refused: refused.map((edit) => this.#placed(edit)) };
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
      names: edit.asks ?? [...names],
    };
  }

  /** Between two of the statements that are there, or at an end of them. */
  #inserted(items: readonly Item[], placed: Placed, from: number): Item[] {
    const at = from + this.#below(items.length + 1 - from);
    return [...items.slice(0, at), { text: "", placed }, ...items.slice(at)];
  }
}

function filled(text: Text, fill: (text: string) => string): Text {
  const each = (texts: { readonly [name: string]: string } = {}): { [name: string]: string } =>
    Object.fromEntries(Object.entries(texts).map(([name, one]) => [fill(name), fill(one)]));
  return { added: each(text.added), changed: each(text.changed), files: each(text.files) };
}

function fileOf({ file }: Gadget): Files {
  return file ? { [file[0]]: file[1] } : {};
}

interface Rendering {
  readonly language: Language;
  readonly places: { readonly [place in Place]?: readonly Item[] };
  readonly edits: readonly Placed[];
  readonly truth: boolean;
}

/** Lines `<<place>>` and `<<line: statement>>` of a template, filled. */
function renderText(template: string, rendering: Rendering): string {
  const lines = template.split("\n").flatMap((line) => {
    const [, indent = "", name = "", statement] = /^( *)<<(\w+)(?:: (.*))?>>$/.exec(line) ?? [];
    if (name === "") return [line];
    if (name === "truth") return rendering.truth ? [indent + (statement ?? "")] : [];
    const text =
      statement === undefined
        ? placeText(name as Place, rendering)
        : changedText(name as Changeable, statement, rendering);
    return text === "" ? [] : text.split("\n").map((one) => indent + one);
  });
  return lines.join("\n");
}

function placeText(place: Place, { language, places, edits, truth }: Rendering): string {
  const texts = (places[place] ?? []).flatMap(({ text, placed }) => {
    if (!placed) return [text];
    if (!edits.includes(placed)) return [];
    const added = (truth ? placed.truth : placed.text).added?.[place] ?? "";
    return [truth && placed.edit.aside ? BASES[language].aside(added) : added];
  });
  // What is refused stands alone in the working tree, at the end of its place.
  const alone = edits.filter((one) => one.edit.refused !== undefined);
  const more = alone.flatMap(({ text }) => text.added?.[place] ?? []);
  return [...texts, ...more].filter((text) => text !== "").join("\n");
}

function changedText(line: Changeable, statement: string, { edits, truth }: Rendering): string {
  const texts = edits.flatMap((one) => (truth ? one.truth : one.text).changed?.[line] ?? []);
  return texts[0] ?? statement;
}

export function compose(seed: number, language: Language, table: readonly Edit[]): Program {
  return new Composer(seed, language, table).compose(seed);
}
