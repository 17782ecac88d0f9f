/** What `show` says that an interruption costs is what `run --resume` does again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { TestProject } from "../support/project.ts";

// Several processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 120_000 });

describe("what an interruption costs", () => {
  /** Each iteration is written down outside of the project, so that those done twice can be counted. */
  const counted: Readonly<{ [program: string]: string }> = {
    "plain.js": `const { appendFileSync } = require("node:fs");
let w = 0;
for (let epoch = 0; epoch < 4; epoch++) {
  for (let step = 0; step < 15; step++) {
    for (const end = performance.now() + 2; performance.now() < end; );
    w += step * 0.1;
    appendFileSync(process.env.MARK, epoch + "," + step + "\\n");
    if (process.env.AT === epoch + "," + step) throw new Error("boom");
  }
  console.log("w", w);
}
`,
    "plain.py": `import os, time
w = 0.0
for epoch in range(4):
    for step in range(15):
        end = time.perf_counter() + 0.002
        while time.perf_counter() < end:
            pass
        w += step * 0.1
        descriptor = os.open(os.environ["MARK"], os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        os.write(descriptor, f"{epoch},{step}\\n".encode())
        os.close(descriptor)
        if os.environ.get("AT") == f"{epoch},{step}":
            raise ValueError("boom")
    print("w", w)
`,
  };

  test.each([
    ["plain.js", "inf"],
    ["plain.js", "0.001"],
    ["plain.py", "inf"],
    ["plain.py", "0.001"],
  ])(
    "%s with a budget of %s: as many iterations as show says are done again",
    async (program, overhead) => {
      using made = new TestProject({ [program]: counted[program] ?? "" });
      using outside = new TestProject({});
      const mark = join(outside.folder, "done.txt");
      const given = { MARK: mark, AT: "2,7" };
      expect((await made.afterlogWith(given, "run", "--overhead", overhead, program)).code).toBe(1);
      const shown = JSON.parse((await made.afterlog("show", "@", "--json")).stdout) as {
        lost_iterations: number;
        lost_seconds: number;
      };
      const resumed = await made.afterlogWith({ MARK: mark }, "run", "--resume", program);
      expect(resumed.code, resumed.stderr).toBe(0);
      const done = readFileSync(mark, "utf8").trim().split("\n");
      const again = done.length - new Set(done).size;
      expect(again).toBeGreaterThan(0);
      expect(shown.lost_iterations).toBe(again);
      // Each of them waits.
      expect(shown.lost_seconds).toBeGreaterThanOrEqual(again * 0.002);
      expect(resumed.stderr).toContain(`does ${again} iteration`);
    },
  );
});
