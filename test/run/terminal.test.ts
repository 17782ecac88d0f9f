/** @file `afterlog run` on a real terminal: the program sees one, and signals go where they should. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAIN, TestProject } from "../support/project.ts";

/** A program on a terminal of 100 columns and 30 rows; `tell` stands for the keyboard. */
function onTerminal(
  project: TestProject,
  argv: readonly string[],
  columns = 100,
): { said(text: string): Promise<void>; tell(line: string): void; ended: Promise<string> } {
  const pty = [join(import.meta.dirname, "on_terminal.py"), String(columns), "30"];
  // Node counts colours by these; what the tests themselves run in must not matter.
  const unset = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined, TMUX: undefined };
  const env = { ...unset, COLORTERM: "truecolor", TERM: "xterm-256color" };
  const { child, finished } = project.start([...pty, process.execPath, ...argv], env, {
    command: "python3",
    stdin: "pipe",
  });
  let shown = "";
  child.stdout?.on("data", (text: string) => (shown += text));
  const said = async (text: string): Promise<void> => {
    while (!shown.includes(text) && child.exitCode === null) {
      await new Promise((more) => {
        child.stdout?.once("data", more);
        child.once("exit", more);
      });
    }
  };
  return {
    said,
    tell: (line) => child.stdin?.write(`${line}\n`),
    ended: finished.then(({ code }) => `${shown}\nexit ${String(code)}`),
  };
}

const REPORT = `
const { stdout, stderr } = process;
const of = (s) => [s.isTTY, s.columns, s.rows, s.getWindowSize?.(), s.getColorDepth?.(), s.hasColors?.(256)];
console.log("<" + JSON.stringify([of(stdout), of(stderr)]) + ">");
`;

function reported(shown: string): unknown {
  return JSON.parse(/<(.*)>/.exec(shown)?.[1] ?? "null");
}

describe("the program sees the terminal that the command has", () => {
  test("the same facts as without us", async () => {
    using project = new TestProject({ "t.mjs": REPORT });
    const plain = await onTerminal(project, ["t.mjs"]).ended;
    const recorded = await onTerminal(project, [MAIN, "run", "t.mjs"]).ended;
    expect(reported(plain)).toEqual([
      [true, 100, 30, [100, 30], 24, true],
      [true, 100, 30, [100, 30], 24, true],
    ]);
    expect(reported(recorded)).toEqual(reported(plain));
  });

  test("and none where there is none", async () => {
    using project = new TestProject({ "t.mjs": REPORT });
    const { stdout } = await project.afterlog("run", "t.mjs");
    expect(reported(stdout)).toEqual([Array(6).fill(null), Array(6).fill(null)]);
  });

  test("its cursor moves", async () => {
    const program = `process.stdout.write("old");
process.stdout.clearLine(0); process.stdout.cursorTo(0); process.stdout.moveCursor(2, 0);
process.stdout.write("new\\n"); process.stderr.clearScreenDown();`;
    using project = new TestProject({ "t.mjs": program });
    const shown = await onTerminal(project, [MAIN, "run", "t.mjs"]).ended;
    expect(shown).toContain("old\u001B[2K\u001B[1G\u001B[2Cnew");
    expect(shown).toContain("exit 0");
  });

  test("a new size arrives, with the event", async () => {
    const program = `process.stdout.on("resize", () => {
  console.log("now " + process.stdout.columns + "x" + process.stdout.rows + " " + process.stderr.columns);
  process.exit();
});
console.log("ready"); setInterval(() => {}, 1000);`;
    using project = new TestProject({ "t.mjs": program });
    const terminal = onTerminal(project, [MAIN, "run", "t.mjs"]);
    await terminal.said("ready");
    terminal.tell("resize 77 22");
    expect(await terminal.ended).toContain("now 77x22 77");
  });

  test("a terminal that does not know its width still shows the progress", async () => {
    const program = `import * as al from "afterlog";
for await (const i of al.loop("epoch", al.range(3))) {
  al.log("loss", i); await new Promise((next) => setTimeout(next, 250));
}`;
    using project = new TestProject({ "t.mjs": program });
    const shown = await onTerminal(project, [MAIN, "run", "t.mjs"], 0).ended;
    expect(shown).toContain("epoch 2/3");
  });
});

describe("signals", () => {
  const counting = (then: string): string => `let count = 0;
process.on("SIGINT", () => { console.log("got " + ++count); ${then} });
console.log("ready"); setInterval(() => {}, 1000);`;
  const LATER = 'setTimeout(() => { console.log("counted " + count); process.exit(4); }, 700);';

  test.each([
    ["key C", "Ctrl-C reaches the program once"],
    ["kill", "SIGINT to the command alone reaches the program once"],
  ])("%s: %s", async (line) => {
    using project = new TestProject({ "t.mjs": counting(LATER) });
    const terminal = onTerminal(project, [MAIN, "run", "t.mjs"]);
    await terminal.said("ready");
    terminal.tell(line);
    const shown = await terminal.ended;
    expect(shown).toContain("counted 1");
    expect(shown).toContain("exit 4");
  });

  test("every further Ctrl-C as well", async () => {
    using project = new TestProject({ "t.mjs": counting("if (count === 3) process.exit(6);") });
    const terminal = onTerminal(project, [MAIN, "run", "t.mjs"]);
    await terminal.said("ready");
    for (let count = 1; count <= 3; count++) {
      terminal.tell("key C");
      await terminal.said(`got ${count}`);
    }
    expect(await terminal.ended).toContain("exit 6");
  });

  test.each(["key C", "kill"])("%s ends a program without a handler", async (line) => {
    using project = new TestProject({
      "t.mjs": 'console.log("ready"); setInterval(() => {}, 1000);',
    });
    const terminal = onTerminal(project, [MAIN, "run", "t.mjs"]);
    await terminal.said("ready");
    terminal.tell(line);
    const shown = await terminal.ended;
    expect(shown).toContain("interrupted by SIGINT");
    expect(shown).toContain("exit 130");
  });
});
