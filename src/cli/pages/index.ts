/**
 * @file The pages that are written from tables of the code: `npm run docs` writes them, and a test
 * fails when one of them is stale.
 */
import { cliPage } from "./cli-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { manPage } from "./man-page.ts";

export interface Page {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: () => string;
}

export const PAGES: readonly Page[] = [
  { file: "docs/cli.md", text: cliPage },
  { file: "docs/configuration.md", text: configurationPage },
  { file: "docs/man/afterlog.1", text: manPage },
];
