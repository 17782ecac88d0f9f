/** @file Which files are programs that can be recorded, by their language. */

export const LANGUAGE_EXTENSIONS = {
  python: [".py"],
  typescript: [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"],
} as const;

export const PROGRAM_EXTENSIONS: ReadonlySet<string> = new Set(
  Object.values(LANGUAGE_EXTENSIONS).flat(),
);
