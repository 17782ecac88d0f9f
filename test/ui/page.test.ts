/** The page in a browser: what it shows, how it follows, and that it asks nobody else. */
import { expect, test } from "vitest";
import { Training } from "../cli-replay/training.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { Browser } from "./browser.ts";
import { UiServer } from "./ui-server.ts";
import { until } from "./until.ts";

/** Texts of the rows, cell by cell; of the columns that are named alone. */
async function rowsOf({ page }: Browser, ...titles: readonly string[]): Promise<string[][]> {
  return page.evaluate((titles) => {
    const text = (node: Element): string =>
      (node as HTMLElement).innerText.replaceAll(/\s+/g, " ").trim();
    const heads = [...document.querySelectorAll("[role=columnheader]")];
    const wanted = titles.map((title) => {
      return heads
        .find((head) => text(head).split(" ")[0] === title)
        ?.getAttribute("aria-colindex");
    });
    return [...document.querySelectorAll(".rows [role=row]")]
      .map((row) => ({ row, at: Number(row.getAttribute("aria-rowindex")) }))
      .sort((a, b) => a.at - b.at)
      .map(({ row }) =>
        wanted.map((at) => {
          const cell = row.querySelector(`[aria-colindex="${at}"]`);
          return cell ? text(cell) : "-";
        }),
      );
  }, titles);
}

async function shows(
  browser: Browser,
  titles: readonly string[],
  rows: readonly unknown[],
): Promise<void> {
  let found: string[][] = [];
  const isThere = async (): Promise<boolean> => {
    found = await rowsOf(browser, ...titles);
    try {
      expect(found).toEqual(rows);
      return true;
    } catch {
      return false;
    }
  };
  await until(isThere).catch(() => expect(found).toEqual(rows));
}

test(
  "runs are listed, sorted, narrowed and opened, by hand and by keys",
  needs("chromium"),
  async () => {
    using project = new Training();
    for (const [lr, name] of [
      ["0.1", "first"],
      ["0.2", "second"],
      ["0.3", "third"],
    ] as const)
      await project.afterlog(
        "run",
        "--seed",
        "7",
        "--overhead",
        "inf",
        "--name",
        name,
        "train.ts",
        `lr=${lr}`,
      );
    project.add("suffix");
    const { code } = await project.afterlog("replay", "final", "--where", "lr < 0.25", "--yes");
    expect(code).toBe(0);
    await using server = await UiServer.start(project);
    await using browser = await Browser.start();
    const { page } = browser;
    await page.goto(server.link);

    const text = (value: string): unknown => expect.stringMatching(value);
    await shows(
      browser,
      ["run", "status", "lr", "final"],
      [
        ["third", "✓ done", "0.3", "no value"],
        ["second", "✓ done", "0.2", text("^.+✓ verified$")],
        ["first", "✓ done", "0.1", text("^.+✓ verified$")],
      ],
    );
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);
    expect(await page.getByText(/equal in all, hidden: epochs 3/).count()).toBe(1);

    // One click says where a value comes from.
    await page
      .getByRole("gridcell", { name: /verified/ })
      .first()
      .click();
    const why = page.getByRole("region", { name: "where the value comes from" });
    await why.getByText(/hindsight: replay r1,/).waitFor();
    expect(await why.innerText()).toMatch(/train\.ts:\d+ al\.log\("final", total \* 2/);
    expect(await browser.violations("dark")).toEqual([]);
    await page.goBack();
    await why.waitFor({ state: "detached" });

    // Sorting is in the address: Back undoes it, and who opens the address sees the same.
    await page.getByRole("columnheader", { name: /^lr/ }).getByRole("button").click();
    await page.getByRole("columnheader", { name: /^lr/ }).getByRole("button").click();
    await shows(browser, ["run"], [["first"], ["second"], ["third"]]);
    expect(new URL(page.url()).search).toBe("?sort=lr");
    await page.reload();
    await shows(browser, ["run"], [["first"], ["second"], ["third"]]);
    await page.goBack();
    await page.goBack();
    await shows(browser, ["run"], [["third"], ["second"], ["first"]]);

    await page.keyboard.press("/");
    await page.keyboard.type("lr > 0.15 and final is not null");
    await shows(browser, ["run"], [["second"]]);
    expect(await page.locator(".foot code").innerText()).toBe(
      "$ afterlog ls -w 'lr > 0.15 and final is not null'",
    );
    await page.locator("#where").fill("lr >");
    await page.getByRole("alert").getByText("AL020").waitFor();
    expect(await rowsOf(browser, "run")).toEqual([["second"]]);
    expect(await browser.violations("light")).toEqual([]);
    await page.locator("#where").fill("");
    await shows(browser, ["run"], [["third"], ["second"], ["first"]]);

    await page.keyboard.press("Escape");
    await page.getByRole("grid").focus();
    for (const key of ["x", "j", "x"]) await page.keyboard.press(key);
    await page.getByText("2 selected").waitFor();
    expect(await page.locator(".foot code").innerText()).toMatch(
      /^\$ afterlog diff train-\S+ train-\S+$/,
    );
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "second" }).waitFor();
    expect(await browser.violations("dark")).toEqual([]);
    await page.getByRole("tab", { name: "Values" }).click();
    await page.getByRole("cell", { name: "1 verified" }).waitFor();
    await page.goto(`${server.origin}/runs/nobody`);
    await page.getByRole("alert").getByText("AL004").waitFor();

    expect(browser.complaints).toEqual([]);
    const others = browser.requests.filter((url) => !url.startsWith(`${server.origin}/`));
    expect(others).toEqual([]);
  },
);

const SLOW = `import * as al from "afterlog";
import { existsSync } from "node:fs";
for (const epoch of al.loop("epoch", al.range(2))) {
  al.log("loss", 1 / (epoch + 1));
  if (epoch === 1) al.log("late", 7);
  while (!existsSync("go-" + epoch)) await new Promise((done) => setTimeout(done, 20));
}
`;

test(
  "an empty page fills while a run is recorded, and says when the server is gone",
  needs("chromium"),
  async () => {
    using project = new TestProject({ "train.ts": SLOW });
    const server = await UiServer.start(project);
    await using browser = await Browser.start();
    const { page } = browser;
    await page.goto(server.link);
    await page.getByRole("heading", { name: "No runs yet" }).waitFor();
    await page.getByText("$ afterlog run train.ts").waitFor();
    for (const theme of ["light", "dark"] as const)
      expect(await browser.violations(theme)).toEqual([]);
    expect(server.isAnnounced).toBe(false);

    const recording = project.afterlog("run", "--name", "live", "train.ts");
    await shows(browser, ["run", "status", "loss"], [["live", "◐ recording", "1"]]);
    const asked = browser.requests.length;
    project.write("go-0", "");
    // A name that is logged for the first time has its column.
    await shows(browser, ["status", "loss", "late"], [["◐ recording", "0.5000", "7"]]);
    project.write("go-1", "");
    expect((await recording).code).toBe(0);
    await shows(browser, ["status", "loss"], [["✓ done", "0.5000"]]);
    // What is new is told; nothing is asked for again.
    const since = browser.requests
      .slice(asked)
      .filter((url) => /\/api\/v1\/(?:runs|columns)/.test(url));
    expect(since.filter((url) => url.endsWith("/runs"))).toEqual([]);
    expect(since.length).toBeLessThanOrEqual(2);
    await until(() => server.isAnnounced);

    await server.end("SIGKILL");
    await page.getByText(/The server does not answer/).waitFor();
    await shows(browser, ["run", "status"], [["live", "✓ done"]]);
    // Another one at the same address has another secret: it is opened by its own link.
    await using next = await UiServer.start(project, "--port", String(server.port));
    await page.getByText(/The server has ended/).waitFor();
    await page.goto(next.link);
    await shows(browser, ["run", "status"], [["live", "✓ done"]]);
    expect(browser.complaints).toEqual([]);
  },
);
