/** @file Chromium, a fresh one each time, and what a page in it did. */
import { readFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";

const ARGUMENTS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export class Browser {
  readonly page: Page;
  /** Addresses of all requests, in order. */
  readonly requests: string[] = [];
  /** What the browser refused, and what no script has caught. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;
  readonly #folder: string;

  private constructor(context: BrowserContext, page: Page, folder: string) {
    this.#context = context;
    this.#folder = folder;
    this.page = page;
    context.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      // What the server refuses is said by the page; the browser says it again.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) this.complaints.push(message.text());
    });
  }

  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), "afterlog-chromium-"));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: "/usr/bin/chromium",
      args: ARGUMENTS.split(" "),
      viewport: { width: 1200, height: 620 },
    });
    return new Browser(context, await context.newPage(), folder);
  }

  /** What axe finds wrong with the page as it is. The page's policy would not let it be loaded. */
  async violations(theme: "light" | "dark"): Promise<unknown[]> {
    await this.page.emulateMedia({ colorScheme: theme });
    await this.page.waitForFunction(
      (name) => document.documentElement.dataset["theme"] === name,
      theme,
    );
    const client = await this.#context.newCDPSession(this.page);
    await client.send("Runtime.evaluate", { expression: AXE });
    const { result } = await client.send("Runtime.evaluate", {
      expression: `axe.run().then(({ violations }) => JSON.stringify(
        violations.map(({ id, help, nodes }) => [id, help, nodes.map(({ html }) => html.slice(0, 200))])))`,
      awaitPromise: true,
    });
    await client.detach();
    return JSON.parse(String(result.value)) as unknown[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
