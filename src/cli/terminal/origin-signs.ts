/** @file Values in hindsight in a table for people: a sign beside each, and what the signs mean. */

/** By check mark (semantics, "Marks"): how well the replay agreed with the record. */
export const SIGNS: Readonly<{ [check: string]: string }> = {
  verified: "✓",
  restored: "✓",
  close: "≈",
  unchecked: "~",
  diverged: "✗",
};

/** The sign of `hindsight:verified`; empty for what the run itself logged. */
export function originSign(origin: unknown): string {
  const [from, check = ""] = typeof origin === "string" ? origin.split(":") : [];
  return from === "hindsight" ? (SIGNS[check] ?? "~") : "";
}

/** `≈ in hindsight, close`, for the signs that occur. */
export function signLegend(signs: ReadonlySet<string>): string {
  const known = [...new Set(Object.values(SIGNS))].filter((sign) => signs.has(sign));
  const checks = (sign: string): string[] =>
    Object.keys(SIGNS).filter((check) => SIGNS[check] === sign);
  const meant = known.map((sign) => `${sign} in hindsight, ${checks(sign).join(" or ")}`);
  return meant.length === 0 ? "" : [...meant, "afterlog help marks"].join(" · ");
}
