/** A column that nobody logged, asked for on the page: priced, looked at, started, steered, and filled. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { Training } from "../cli-replay/training.ts";
import { needs } from "../support/needs.ts";
import { MAIN, TestProject } from "../support/project.ts";
import { Browser } from "./browser.ts";
import { UiServer } from "./ui-server.ts";
import { until } from "./until.ts";

/** Nine weeks are recorded and replayed; on a busy machine that is minutes. */
vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });
const WAIT = { timeout: 300_000 } as const;

type Fields = Readonly<{ [name: string]: unknown }>;

/** Texts of a column of the table of runs, by name of the run, in their order. */
async function columnOf(page: Page, title: string): Promise<string[]> {
  return page.evaluate((name) => {
    const text = (node: Element | null | undefined): string =>
      (node as HTMLElement | null)?.innerText.replaceAll(/\s+/g, " ").trim() ?? "";
    const heads = [...document.querySelectorAll("[role=columnheader]")];
    const at = heads
      .find((head) => text(head).split(" ")[0] === name)
      ?.getAttribute("aria-colindex");
    return [...document.querySelectorAll(".rows [role=row]")]
      .sort((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
      .map(
        (row) =>
          `${text(row.querySelector("[aria-colindex='2']"))}: ${text(row.querySelector(`[aria-colindex='${at}']`))}`,
      );
  }, title);
}

/** Without when it was. */
function decisionsIn(folder: string): unknown[] {
  const lines = readFileSync(join(folder, ".afterlog/landings.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { when: _, ...decision } = JSON.parse(line) as Fields;
    return decision;
  });
}

test(
  "the first minute: from the notice to nine verified cells, in nine clicks at most",
  needs("chromium"),
  async () => {
    using project = new TestProject();
    const demo = join(project.folder, "demo");
    expect(await project.start([MAIN, "demo", "--until", "ask", demo]).finished).toMatchObject({
      code: 0,
    });
    const there = {
      store: join(demo, ".afterlog"),
      start: (argv: readonly string[]) => project.start(argv, {}, { cwd: demo }),
    };
    await using server = await UiServer.start(there);
    await using browser = await Browser.start();
    const { page } = browser;
    let clicks = 0;
    const click = async (
      name: string | RegExp,
      role: "button" | "link" = "button",
    ): Promise<void> => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).last().click(WAIT);
    };
    await page.goto(server.link);

    await page
      .getByText(
        /f1_seven \(train\.ts:86\)\s+is logged by no run: 9 runs · about .+ · 4 to look at/,
      )
      .waitFor(WAIT);
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);
    await click("Ask", "link");
    await page.getByText("9 of 9 runs").waitFor(WAIT);
    await page.getByRole("button", { name: "Start the other 5" }).waitFor(WAIT);
    // A condition moves the price, and is in the address.
    await page.locator("#where").fill("week > 5");
    await page.getByText("4 of 4 runs").waitFor(WAIT);
    expect(page.url()).toContain("where=week+%3E+5");
    await page.getByText("$ afterlog replay -w 'week > 5'").waitFor();
    await page.locator("#where").fill("");
    await page.getByText("9 of 9 runs").waitFor(WAIT);
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);

    // Each part says why it is there. What is decided is what the command line would have kept.
    const card = page.getByRole("region", { name: "where f1_seven lands" });
    await card.getByText("! review, 0.64").waitFor();
    await card.getByText("← asked").waitFor();
    await card.getByText("← needed").waitFor();
    const same = join(project.folder, "same");
    cpSync(demo, same, { recursive: true, verbatimSymlinks: true });
    const groups: string[] = [];
    for (const sign of ["0.64", "0.56"]) {
      await card.getByText(`! review, ${sign}`).waitFor(WAIT);
      groups.push(/@ (\w{7})/.exec(await card.getByRole("heading").innerText())?.[1] ?? "");
      await click("Accept for 2 versions");
    }
    await page.getByRole("button", { name: "Start", exact: true }).waitFor(WAIT);
    for (const version of groups) {
      const argv = [MAIN, "where", "f1_seven", version, "--accept"];
      expect((await project.start(argv, {}, { cwd: same }).finished).code).toBe(0);
    }
    expect(decisionsIn(demo)).toEqual(decisionsIn(same));

    await click("Start");
    const weeks = Array.from({ length: 9 }, (_, at) => `week-${9 - at}`);
    // Cells show what happens, and the rows stay where they are.
    await until(async () =>
      (await columnOf(page, "f1_seven")).some((cell) => cell.endsWith("◐ running")),
    );
    const seen = await columnOf(page, "f1_seven");
    expect(seen.map((cell) => cell.split(":")[0])).toEqual(weeks);
    expect(seen.some((cell) => cell.endsWith("· queued"))).toBe(true);
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);
    await page.getByText("✓ verified").nth(8).waitFor(WAIT);
    const filled = await columnOf(page, "f1_seven");
    expect(filled).toEqual(
      weeks.map((week) => expect.stringMatching(`^${week}: 0\\.\\d{4} ?✓ verified$`)),
    );
    const argv = [MAIN, "frame", "f1_seven", "--grain", "run", "--json"];
    const { stdout } = await project.start(argv, {}, { cwd: demo }).finished;
    const values = (JSON.parse(stdout) as readonly { readonly f1_seven: number }[]).map(
      (row) => row.f1_seven,
    );
    expect(filled.map((cell) => /0\.\d+/.exec(cell)?.[0])).toEqual(
      values.toReversed().map((value) => value.toPrecision(4)),
    );
    clicks += 1;
    await page
      .getByRole("gridcell", { name: /verified/ })
      .first()
      .click();
    await page.getByText(/hindsight: replay r1/).waitFor(WAIT);
    expect(clicks).toBeLessThanOrEqual(9);
    expect(browser.complaints).toEqual([]);
  },
);

test(
  "a canary waits, outlives the server, and goes on; replays of a terminal show; what fails is told once",
  needs("chromium"),
  async () => {
    using project = new Training();
    for (const lr of ["lr=0.1", "lr=0.2", "lr=0.3"]) await project.record(lr);
    project.add("suffix");
    const server = await UiServer.start(project);
    await using browser = await Browser.start();
    const { page } = browser;
    await page.goto(server.link);
    await page.getByText(/final \(train\.ts:19\)\s+is logged by no run/).waitFor(WAIT);
    // By the keyboard alone.
    for (const key of ["g", "a"]) await page.keyboard.press(key);
    const canary = page.getByRole("button", { name: "Start with one (canary)" });
    await canary.waitFor(WAIT);
    await canary.focus();
    await page.keyboard.press("Enter");
    await page.getByText(/canary train-\S+:\s+final .+ ✓ verified/).waitFor(WAIT);
    const cells = async (): Promise<string[]> =>
      (await columnOf(page, "final")).map((cell) => /[✓◐·✗■] ?\w*$/.exec(cell)?.[0] ?? cell);
    await until(async () => (await cells()).join() === "✓ verified,· queued,· queued");
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);

    // The server ends; its replay waits on, and goes on at the word of another.
    await server.end("SIGKILL");
    expect((await project.afterlog("go", "r1")).stdout).toBe("replay r1 goes on\n");
    const ended = async (id: string): Promise<boolean> => {
      const replays = (await project.json("ps", "--all")) as readonly Fields[];
      return replays.some((one) => one["replay"] === id && one["status"] !== "running");
    };
    await until(() => ended("r1"));
    expect((await project.afterlog("go", "r1")).stdout).toBe("replay r1 does not wait for that\n");
    await using next = await UiServer.start(project);
    await page.goto(next.link);
    await until(async () => (await cells()).join() === "✓ verified,✓ verified,✓ verified");

    // One of a terminal: it is in the table and on its page, and is stopped from there.
    project.add("suffix", "outer");
    const terminal = project.start([MAIN, "replay", "best", "--await-go", "--yes"]);
    await page.getByText(/canary train-\S+:\s+best .+ ✓ verified/).waitFor(WAIT);
    await page.getByRole("link", { name: "Open replay" }).click();
    await page.getByRole("button", { name: "Go on" }).waitFor(WAIT);
    await page.getByRole("button", { name: "Stop" }).click();
    expect((await terminal.finished).code).toBe(130);
    await page.getByRole("button", { name: "Resume" }).click(WAIT);
    await until(() => ended("r2"));
    await page.getByText("$ afterlog frame best").waitFor(WAIT);
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);

    // A statement that stands in no file, and throws: once, and it is said where.
    await page.goto(`${next.origin}/ask?names=,`);
    await page.getByLabel("or before").fill("train.ts:18");
    await page.getByLabel("the statement").fill('bad = JSON.parse("{" + total)');
    await page.getByRole("button", { name: "Ask for this statement" }).click();
    await page.getByRole("button", { name: "Start", exact: true }).click(WAIT);
    await page.getByRole("link", { name: "Open replay" }).click(WAIT);
    await page.getByRole("heading", { name: /SyntaxError/ }).waitFor(WAIT);
    await until(() => ended("r3"));
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);
    await page.getByRole("link", { name: "Replays" }).click();
    await page.getByRole("row", { name: /^r3 failed bad/ }).waitFor(WAIT);
    expect(browser.complaints).toEqual([]);
  },
);
