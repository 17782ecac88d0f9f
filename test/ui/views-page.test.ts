/** The views of runs in a browser: what they show, by keys, in both themes, and the commands that they name. */
import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { Training } from "../cli-replay/training.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { Browser } from "./browser.ts";
import { UiServer } from "./ui-server.ts";
import { until } from "./until.ts";

vi.setConfig({ testTimeout: 300_000 });

const THEMES = ["light", "dark"] as const;

/** Commands that the page names, as words. */
async function commandsOn({ page }: Browser): Promise<string[][]> {
  const texts = await page
    .locator(".command code")
    .evaluateAll((nodes) => nodes.map((node) => node.textContent ?? ""));
  const lines = [...new Set(texts)].flatMap((text) => text.replace(/^\$ /, "").split(" && "));
  return lines.map((line) =>
    execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
      .trimEnd()
      .split("\n"),
  );
}

test(
  "every view is whole in both themes, and names commands that work",
  needs("chromium"),
  async () => {
    using project = new Training();
    for (const lr of ["0.1", "0.2", "0.3"])
      await project.afterlog(
        "run",
        "--overhead",
        "inf",
        "--name",
        `lr-${lr}`,
        "train.ts",
        `lr=${lr}`,
      );
    project.add("suffix");
    const filled = await project.afterlog("replay", "final", "--where", "lr < 0.25", "--yes");
    expect(filled.code).toBe(0);
    await using server = await UiServer.start(project);
    await using browser = await Browser.start();
    const { page } = browser;
    const { origin } = server;
    await page.goto(server.link);

    const sql = encodeURIComponent("select run, final, loss from runs order by run");
    const views: readonly (readonly [path: string, text: string | RegExp])[] = [
      ["/runs", "final by run"],
      ["/runs/lr-0.1", "Loops"],
      ["/runs/lr-0.1?tab=metrics", /loss by /],
      ["/runs/lr-0.1?tab=values", "1 verified"],
      ["/runs/lr-0.1?tab=code", "how many values it logged"],
      ["/runs/lr-0.1?tab=console", /it wrote nothing|stdout/],
      ["/runs/lr-0.1?tab=checkpoints", "the longest time without one"],
      ["/runs/lr-0.1?tab=checks", "suffix"],
      ["/compare?runs=lr-0.1,lr-0.2", "+0.1"],
      ["/compare?runs=lr-0.1,lr-0.2,lr-0.3&all=1&transpose=1", "environment"],
      [`/sql?q=${sql}`, "5 rows"],
      ["/storage", "checkpoints"],
      ["/storage?policy=every:2", "would go."],
      ["/performance?run=lr-0.1", "waiting for data"],
    ];
    const named = new Set<string>();
    for (const [at, [path, text]] of views.entries()) {
      await page.goto(origin + path);
      await page
        .locator("main")
        .getByText(text)
        .first()
        .waitFor()
        .catch(async () => {
          expect(await page.locator("main").innerText(), path).toContain(text);
        });
      // Each takes a second or two: every other view in the other theme.
      expect([path, await browser.violations(THEMES[at % 2] ?? "light")]).toEqual([path, []]);
      const commands = await commandsOn(browser);
      expect([path, commands.length > 0]).toEqual([path, true]);
      for (const [program, ...argv] of commands) {
        expect(program).toBe("afterlog");
        const kind = [argv[0], ...argv.filter((word, at) => argv[at - 1] === "--part")].join(" ");
        if (named.has(kind)) continue;
        named.add(kind);
        // What removes something asks first: it is only looked at.
        const looked = argv[0] === "gc" ? ["--dry-run"] : [];
        const { code, stderr } = await project.afterlog(...argv, ...looked);
        expect([argv, code, code === 0 ? "" : stderr]).toEqual([argv, 0, ""]);
      }
    }
    expect([...named].toSorted()).toEqual([
      "diff",
      "du",
      "gc",
      "ls",
      "plan",
      "plot",
      "query",
      "show",
      "show checks",
      "show code",
      "show console",
      "show performance",
    ]);

    // A chart says in words and in a table what it shows, and is zoomed by keys.
    await page.goto(`${origin}/runs/lr-0.1?tab=metrics`);
    const chart = page.getByRole("figure", { name: /loss by/ });
    await chart.getByText(/^\d+ values, from/).waitFor();
    const asked = (): string[] => browser.requests.filter((url) => url.includes("/series?"));
    const before = asked().length;
    await chart.getByRole("button", { name: /zoom into/ }).press("Enter");
    await until(() => asked().length > before);
    expect(asked().at(-1)).toMatch(/&from=[\d.]+&to=[\d.]+/);
    await chart.getByRole("button", { name: /^all of/ }).press("Enter");
    await chart.getByRole("button", { name: /as a table/ }).press("Enter");
    await chart.getByRole("columnheader", { name: "greatest" }).waitFor();
    expect(await browser.violations("light")).toEqual([]);

    // By keys alone: two runs are chosen, compared, and Back is undo.
    await page.goto(`${origin}/runs`);
    await page.getByRole("grid").focus();
    await page.getByRole("gridcell", { name: "lr-0.3" }).waitFor();
    for (const key of ["x", "j", "x", "c"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "lr-0.2 → lr-0.3" }).waitFor();
    await page.goBack();
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.getByRole("textbox", { name: "SQL" }).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("select count(*) as n from runs where kind = 'record'");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("cell", { name: "3" }).waitFor();
    await page.getByRole("textbox", { name: "SQL" }).fill("copy runs to 'x.csv'");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").getByText("AL020").waitFor();

    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  },
);

test("where nothing was recorded each view says so", needs("chromium"), async () => {
  using project = new TestProject();
  await using server = await UiServer.start(project);
  await using browser = await Browser.start();
  const { page } = browser;
  await page.goto(server.link);
  for (const [path, text] of [
    ["/storage", "Nothing was recorded yet"],
    ["/performance", "Nothing was recorded yet"],
    ["/sql", "none before the first run"],
    ["/compare", "0 of 2 to 50 runs are named"],
  ] as const) {
    await page.goto(server.origin + path);
    await page.getByText(text).waitFor();
    for (const theme of THEMES) expect([path, await browser.violations(theme)]).toEqual([path, []]);
  }
  expect(browser.complaints).toEqual([]);
});
