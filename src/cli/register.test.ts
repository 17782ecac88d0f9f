/** @file Command lines, as far as the parser goes: no command is executed. */
import { expect, test } from "vitest";
import { listCommands } from "./commands/command-table.ts";
import { createProgram, parsedWords } from "./register.ts";

/** The options that the command gets of this line. Throws as commander does. */
async function parse(
  line: string,
): Promise<{ readonly command: string; readonly options: object }> {
  let options: object | undefined;
  const program = createProgram("0.0.0", (given) => {
    options = given;
    return Promise.resolve();
  });
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  // A shell keeps to itself where the output goes.
  const end = words.findIndex(([, , , plain]) => plain === ">" || plain === ">>");
  const own = end < 0 ? words : words.slice(0, end);
  const argv = own.map(([, double, single, plain]) => double ?? single ?? plain ?? "");
  await program.parseAsync(parsedWords(["node", ...argv]));
  return { command: program.args[0] ?? "", options: options ?? {} };
}

test.each(
  listCommands().flatMap(({ name, examples = [] }) => examples.map(({ line }) => [line, name])),
)("%s", async (line, name) => {
  expect(await parse(line)).toMatchObject({ command: name });
});

test.each<[string, object]>([
  ["afterlog ls --columns lr,,loss -L 0", { columns: ["lr", "loss"], limit: 0 }],
  ["afterlog -C x --json ls --no-color", { C: "x", json: true, color: false }],
  ["afterlog --no-color ls", { color: false }],
  ["afterlog run train.ts --name x --json", {}],
  ["afterlog run --no-console --hands-free t.py", { console: false, handsFree: true }],
  ["afterlog run --resume train.ts", { resume: true }],
  ["afterlog run --resume=@~1 train.ts", { resumeRun: "@~1" }],
  ["afterlog run --seed 7 train.py --resume=last.pt", { seed: "7" }],
  ["afterlog query '-- all runs' --limit 3", { limit: 3 }],
  ["afterlog tag @ +good -b -needs-work -w 'x > 1' --json", { where: "x > 1", json: true }],
  ["afterlog frame tag -L 5", { limit: 5 }],
  ["afterlog replay x", {}],
  ["afterlog replay --no-canary --max-time 1h30m x", { canary: false, maxTime: 5400 }],
  ["afterlog plan --at a:1 --at b:2 'x = 1' 'y = 2'", { at: ["a:1", "b:2"] }],
  ["afterlog plan --gpus 0,1 -j 2 x", { gpus: ["0", "1"], jobs: 2 }],
  ["afterlog where x --edit", { edit: true }],
  ["afterlog where x --edit y", { edit: "y" }],
])("%s gives %o", async (line, options) => {
  expect((await parse(line)).options).toEqual(options);
});

test("what follows the program is not ours", () => {
  const own = ["node", "afterlog", "-C", "x", "run", "--seed", "7", "--resume=@", "t.py"];
  const given = ["--resume=last.pt", "-- x", "run"];
  expect(parsedWords([...own, ...given])).toEqual([...own.with(7, "--resume-run=@"), ...given]);
});

test.each<[string, RegExp]>([
  ["afterlog ls --limit x", /'-L, --limit <n>' argument 'x' is invalid. It must be a whole number/],
  ["afterlog plan -j 0 x", /whole number from 1 on/],
  ["afterlog plan --gpus 0,0 x", /each once/],
  ["afterlog resume --max-time soon", /a time such as 90s/],
  ["afterlog frame", /missing required argument 'names'/],
  ["afterlog replay --max-tmie 3", /unknown option '--max-tmie'\n\(Did you mean --max-time\?\)/],
  ["afterlog rnu x", /unknown command 'rnu'\n\(Did you mean run\?\)/],
])("%s is refused", async (line, message) => {
  await expect(parse(line)).rejects.toThrow(message);
});
