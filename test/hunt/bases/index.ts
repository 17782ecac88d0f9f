/** @file The trainings of the hunt, by language. */
import type { Language } from "../ingredients.ts";
import type { Base } from "./base.ts";
import { PYTHON } from "./python.ts";
import { TYPESCRIPT } from "./typescript.ts";

export { SEED } from "./base.ts";

export const BASES: { readonly [language in Language]: Base } = {
  python: PYTHON,
  typescript: TYPESCRIPT,
};
