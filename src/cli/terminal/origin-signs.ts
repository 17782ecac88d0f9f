/** @file Values in hindsight in a table for people: a sign beside each, and what the signs mean. */

/** By check mark (semantics, "Marks"): how well the replay agreed with the record. */
const SIGNS: Readonly<{ [check: string]: string }> = {
  verified: "✓",
  close: "≈",
  unchecked: "~",
  diverged: "✗",
};

/** The sign of `hindsight:verified`; empty for what the run itself logged. */
export function originSign(origin: unknown): string {
  const [from, check = ""] = typeof origin === "string" ? origin.split(":") : [];
  return from === "hindsight" ? (SIGNS[check] ?? "~") : "";
}

/** `✓ in hindsight, verified`, for the signs that occur. */
export function signLegend(signs: ReadonlySet<string>): string {
  const known = Object.entries(SIGNS).filter(([, sign]) => signs.has(sign));
  return known.map(([check, sign]) => `${sign} in hindsight, ${check}`).join(" · ");
}
