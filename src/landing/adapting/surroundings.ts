/** @file What a statement needs of its surroundings beside names: a function that is `async`, an object for `this`. */
import type { Place } from "../../tree/index.ts";
import type { Surroundings } from "../../languages/index.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Refusal } from "./adapt-statement.ts";

/** What a place does not have of that. */
export function lackingSurroundings(
  pair: VersionPair,
  needs: Surroundings,
  place: Place,
): Refusal | undefined {
  const given = pair.then.source.surroundingsAt(pair.scopedOffsetOf(place));
  if (needs.awaits && !given.awaits) {
    return { refusal: "out_of_scope", reason: "it awaits, and that function is not async there" };
  }
  if (needs.yields) return { refusal: "effectful_helper", reason: "it yields" };
  if (needs.hasThis && !given.hasThis) {
    return { refusal: "out_of_scope", reason: "it uses `this`, and there is none there" };
  }
  const missing = [...needs.privateNames].find((name) => !given.privateNames.has(name));
  if (missing === undefined) return undefined;
  return { refusal: "missing_variable", reason: `#${missing} does not exist in that version` };
}
