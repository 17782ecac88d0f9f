/**
 * @file Versions in which a statement lands alike, as one group: the same text between the same
 * lines. A person looks at each group once.
 */
import type { Landing, Manifest, Overlay, Verdict } from "../../format/index.ts";
import { withoutCarriedMarkers } from "../../languages/index.ts";
import type { Landed } from "./landed-source.ts";
import type { DiffHunk } from "./piece-diff.ts";
import { pieceDiff } from "./piece-diff.ts";
import type { Propagated } from "./propagate.ts";

export interface LandingGroup {
  readonly verdict: Verdict;
  /** Why it cannot land, or what is to be looked at. */
  readonly why: string;
  readonly landings: readonly Landing[];
  /** For each of these, the statement as it is written in the newest version. */
  readonly statements: readonly string[];
  /** The changed files, as they are in the newest version of the group. */
  readonly files: readonly Overlay[];
  /** Why it may log nothing there, as far as the source shows. */
  readonly silent: string | undefined;
  /** What is put into that version, as a diff of it. */
  readonly hunks: readonly DiffHunk[];
  /** Runs, newest first. */
  readonly runs: readonly Manifest[];
}

/** Lines on each side of a statement that must be the same. */
const AROUND = 2;

/** The groups of a name, the one with the newest run first. */
export function groupLandings({ runs, textOf }: Propagated, name: string): LandingGroup[] {
  const groups = new Map<string, LandingGroup>();
  for (const { manifest, source } of runs.toSorted((a, b) => b.manifest.order - a.manifest.order)) {
    const own = source.names.find((one) => one.name === name);
    const { verdict, why, landings, statements } = own ?? unreadLanding(source);
    const overlays = source.kind === "landed" ? source.overlays : [];
    const files = shownFiles(landings, overlays, (file) => textOf(manifest, file));
    const places = landings.map((landing) => describeLanding(landing, files));
    const key = JSON.stringify([verdict, verdict === "cannot" ? why : "", places]);
    const known = groups.get(key);
    if (known) groups.set(key, { ...known, runs: [...known.runs, manifest] });
    else {
      const hunks = overlays.flatMap(({ file, text }) => {
        const after = withoutCarriedMarkers(text);
        return pieceDiff(file, { before: textOf(manifest, file), after }, whyIn(landings));
      });
      const silent = whySilent(source, name);
      const found = { verdict, why, landings, statements, files, silent, hunks };
      groups.set(key, { ...found, runs: [manifest] });
    }
  }
  return [...groups.values()];
}

/** Nothing of the version calls the functions in which it would be logged. */
function whySilent(source: Landed, name: string): string | undefined {
  if (source.kind === "refused") return undefined;
  const own = source.statements.filter(({ planned }) => planned.name === name);
  const [first] = own;
  if (!first || own.some(({ log }) => log.uncalled !== true)) return undefined;
  const { file, line } = first.log;
  return `nothing is seen to call the function around ${file}:${line}, so it may log nothing`;
}

/** Why a statement belongs to what is put in. */
function whyIn(landings: readonly Landing[]): (text: string) => string | undefined {
  const reasons = new Map([
    ...landings.flatMap(({ carried }) => carried.map((one) => [one.text, one.why] as const)),
    ...landings.flatMap(({ text }) => (text === null ? [] : [[text, "asked"] as const])),
  ]);
  const isAsked = (text: string): boolean =>
    landings.some((one) => one.text !== null && text.includes(one.text));
  return (text) => {
    if (reasons.has(text)) return reasons.get(text) ?? "needed";
    return isAsked(text) ? "asked" : undefined;
  };
}

/** A version that could not be read at all. */
function unreadLanding(source: Landed): Omit<LandingGroup, "files" | "hunks" | "runs" | "silent"> {
  const why = source.kind === "refused" ? source.why : "nothing logs it there";
  return { verdict: "cannot", why, landings: [], statements: [] };
}

function shownFiles(
  landings: readonly Landing[],
  overlays: readonly Overlay[],
  textOf: (file: string) => string | undefined,
): Overlay[] {
  const files = new Set(
    landings.flatMap(({ file, verdict }) => (verdict === "cannot" ? [] : (file ?? []))),
  );
  return [...files].flatMap((file) => {
    const text = overlays.find((one) => one.file === file)?.text ?? textOf(file);
    return text === undefined ? [] : [{ file, text: withoutCarriedMarkers(text) }];
  });
}

/** What must be the same: the statement, what comes with it, the lines around it, and what is said of it. */
function describeLanding(
  { verdict, file, line, text, carried, reason, warnings }: Landing,
  files: readonly Overlay[],
): unknown {
  const lines = files.find((one) => one.file === file)?.text.split(/\r?\n/) ?? [];
  const first = line ?? 0;
  const last = first + (text ?? "").split("\n").length;
  const around =
    line === null ? [] : lines.slice(Math.max(0, first - 1 - AROUND), last - 1 + AROUND);
  const said = [reason, ...warnings.map((one) => one.text)];
  const lineTexts = around.map((one) => one.trim());
  return [verdict, file, text, carried.map((one) => one.text), lineTexts, said];
}
