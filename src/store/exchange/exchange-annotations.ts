/**
 * @file What people said of runs travels with them: the lines of `annotations.jsonl` about runs that the
 * remote has, as one blob under `refs/afterlog/annotations`. Two machines' lines are merged by their
 * union, sorted, so that it is the same blob whoever makes it; what is said last counts on all of them.
 */
import type { Annotation } from "../../format/index.ts";
import { annotationToJson } from "../../format/index.ts";
import { wallClock } from "../../host/index.ts";
import { annotationsIn, appendAnnotations, readAnnotations } from "../annotations.ts";
import { listRunIds } from "../runs.ts";
import { trashedRuns } from "../trash.ts";
import type { ExchangePlace, Remote } from "./exchange-git.ts";
import { exchangeGit, fetchObjects, LOGS, readObjects, sendRefs, sizesOf } from "./exchange-git.ts";

export const ANNOTATIONS = "refs/afterlog/annotations";

/** Many thousand notes; more is none of ours. */
const BYTES_MAX = 20_000_000;
/** Packed it is smaller; what is sent beside it is not wanted. */
const PACK_BYTES_MAX = 2 * BYTES_MAX;
/** Somebody else may send at the same time, but not again and again. */
const TRIES = 5;
const UNREADABLE = "what the remote has of them is too large, or is no text";
/** A clock that is further than this ahead is wrong, and what it said would count for ever. */
const AHEAD_MS_MAX = 24 * 3_600_000;

export interface AnnotationExchange {
  readonly logs: ExchangePlace;
  readonly remote: Remote;
  readonly store: string;
  /** What the remote has, by ref; asked again where somebody was quicker. */
  readonly list: () => ReadonlyMap<string, string>;
  /** Those that stay here. */
  readonly held: ReadonlyMap<Annotation, unknown>;
}

/** How many lines the remote would not have had, if it had the logs of these refs. */
export function countAnnotations(
  { logs, remote, store, held }: Omit<AnnotationExchange, "list">,
  refs: ReadonlyMap<string, string>,
): number {
  const object = refs.get(ANNOTATIONS);
  const theirs = object === undefined ? "" : (readThere({ logs, remote }, object) ?? "");
  const ours = leaving(store, refs, held);
  return mergeLines(theirs, ours).length - mergeLines(theirs, []).length;
}

/** Adds to what the remote has. Answers how many lines were new there, or why none could be sent. */
export function pushAnnotations(
  { logs, remote, store, list, held }: AnnotationExchange,
  there: ReadonlyMap<string, string>,
): number | string {
  let refs = there;
  for (let tries = 0; tries < TRIES; tries++) {
    const ours = leaving(store, refs, held);
    if (ours.length === 0) return 0;
    const before = refs.get(ANNOTATIONS) ?? null;
    const theirs = before === null ? "" : readThere({ logs, remote }, before);
    if (theirs === undefined) return UNREADABLE;
    if (theirs === null) {
      refs = list();
      continue;
    }
    const merged = mergeLines(theirs, ours);
    const added = merged.length - mergeLines(theirs, []).length;
    if (added === 0) return 0;
    const text = Buffer.from(`${merged.join("\n")}\n`).toString("latin1");
    const object = exchangeGit(logs, ["hash-object", "-w", "--stdin"], text).trim();
    const refused = sendRefs(logs, remote, [{ object, ref: ANNOTATIONS, before }]);
    if (refused.size === 0) return added;
    refs = list();
    // Nobody changed it in between: it is refused for another reason, and would be again.
    if ((refs.get(ANNOTATIONS) ?? null) === before) return refused.get(ANNOTATIONS) ?? "refused";
  }
  return "others kept sending at the same time";
}

/** What is said of runs that the remote has, or will have. */
function leaving(
  store: string,
  refs: ReadonlyMap<string, string>,
  held: AnnotationExchange["held"],
): Annotation[] {
  const stays = new Set([...held.keys()].map(annotationToJson));
  return readAnnotations(store).filter((one) => {
    return refs.has(LOGS + one.run) && !stays.has(annotationToJson(one));
  });
}

/** Lines of both, sorted, each once; those of a later version stay as they are. */
function mergeLines(theirs: string, ours: readonly Annotation[]): string[] {
  const lines = theirs.split("\n").filter((line) => line !== "");
  return [...new Set([...lines, ...ours.map(annotationToJson)])].toSorted();
}

/** Takes over what is new about runs that are here. Answers how many lines, or why none. */
export function pullAnnotations(
  { logs, remote, store }: Omit<AnnotationExchange, "list" | "held">,
  there: ReadonlyMap<string, string>,
): number | string {
  const object = there.get(ANNOTATIONS);
  if (object === undefined) return 0;
  const text = readThere({ logs, remote }, object);
  if (text === undefined) return UNREADABLE;
  if (text === null) return "somebody changed them just now: pull again";
  const here = new Set([...listRunIds(store), ...trashedRuns(store)]);
  const known = new Set(readAnnotations(store).map(annotationToJson));
  const latest = wallClock().getTime() + AHEAD_MS_MAX;
  const fresh = annotationsIn(text).filter(
    (one) => here.has(one.run) && one.at <= latest && !known.has(annotationToJson(one)),
  );
  const unique = new Map(fresh.map((one) => [annotationToJson(one), one]));
  appendAnnotations(store, [...unique.values()]);
  return unique.size;
}

/** Undefined if it is none; null if the ref is another one by now. */
function readThere(
  { logs, remote }: Pick<AnnotationExchange, "logs" | "remote">,
  object: string,
): string | undefined | null {
  if (fetchObjects(logs, remote, [ANNOTATIONS], PACK_BYTES_MAX).size > 0) return undefined;
  const size = sizesOf(logs, [object]).get(object);
  if (size === undefined) return null;
  if (size > BYTES_MAX) return undefined;
  const found = readObjects(logs, [object]).get(object);
  return found?.type === "blob" ? found.bytes.toString("utf8") : undefined;
}
