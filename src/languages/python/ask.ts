/**
 * @file Questions about Python sources, answered by Python itself: its own parser reads every
 * version of the language that it runs, and says where everything stands. One process a question;
 * answers are kept, for the same texts are asked about again and again.
 */
import { execFileSync } from "node:child_process";
import { env } from "node:process";
import { describeError } from "../../format/index.ts";
import { pythonEnvironment } from "./interpreter.ts";

const answers = new Map<string, unknown>();

/** Undefined if there is no Python that answers. */
export function askPython(question: object): unknown {
  const input = JSON.stringify(question);
  if (!answers.has(input)) answers.set(input, answer(input));
  return answers.get(input);
}

function answer(input: string): unknown {
  const { command, env: variables } = pythonEnvironment({ env });
  try {
    const out = execFileSync(command, ["-m", "afterlog.source"], {
      input,
      encoding: "utf8",
      env: { ...variables, AFTERLOG_MODE: "off" },
      stdio: ["pipe", "pipe", "pipe"],
      maxBuffer: 2 ** 28,
    });
    return JSON.parse(out);
  } catch (error) {
    return { problem: `Python cannot be asked: ${describeError(error).split("\n")[0] ?? ""}` };
  }
}
