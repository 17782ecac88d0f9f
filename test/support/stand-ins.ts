/** Stand-ins of libraries that cannot be installed here (`test/stand-ins`). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const STAND_INS = join(import.meta.dirname, "../stand-ins");

/** The files of all stand-ins, where programs of a test look for them. */
export function standIns(): Record<string, string> {
  const files = readdirSync(STAND_INS, { recursive: true, encoding: "utf8" });
  const own = files.filter((file) => file.endsWith(".py"));
  return Object.fromEntries(
    own.map((file) => [`site-packages/${file}`, readFileSync(join(STAND_INS, file), "utf8")]),
  );
}
