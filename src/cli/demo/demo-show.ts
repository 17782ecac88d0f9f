/**
 * @file How the demo runs a command: as the user would, in a process of its own in the project's
 * folder, after saying which. What is shown is what the command wrote.
 */
import { spawn } from "node:child_process";
import type { CliContext } from "../context.ts";
import { MAIN, type DemoProject } from "./demo-history.ts";
import { createColors } from "../terminal/terminal-edge.ts";

interface DemoAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Stage {
  readonly project: DemoProject;
  readonly context: CliContext;
}

/** A command of the story failed. What it said has been shown: there is nothing to add. */
export class CommandFailed extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/** Says `$ afterlog ARGV…` and runs it on the user's terminal. */
export async function show(stage: Stage, argv: readonly string[]): Promise<void> {
  say(stage, `afterlog ${argv.map(quoted).join(" ")}`);
  await succeed(stage, [process.execPath, MAIN, ...argv], "inherit");
}

/** The same for git, without a pager. */
export async function showGit(stage: Stage, argv: readonly string[]): Promise<void> {
  say(stage, `git ${argv.map(quoted).join(" ")}`);
  const color = `color.ui=${stage.context.color ? "always" : "never"}`;
  await succeed(stage, ["git", "--no-pager", "-c", color, ...argv], "inherit");
}

/** Runs `afterlog ARGV…` unseen, for what it answers. */
export function ask(stage: Stage, argv: readonly string[]): Promise<DemoAnswer> {
  return succeed(stage, [process.execPath, MAIN, ...argv], "pipe");
}

/** Throws if the command fails; what nobody has seen of it is shown then. */
async function succeed(
  stage: Stage,
  words: readonly string[],
  output: "inherit" | "pipe",
): Promise<DemoAnswer> {
  const answer = await start(stage, words, output);
  if (answer.code === 0) return answer;
  if (answer.stderr !== "") stage.context.err(`\n${answer.stderr}`);
  throw new CommandFailed(answer.code);
}

/** The line of a command, as at a prompt. */
export function say({ context }: Stage, line: string): void {
  const { bold } = createColors(context.color);
  context.out(`\n${bold(`$ ${line}`)}\n`);
}

/** A paragraph of the story. */
export function tell({ context }: Stage, text: string): void {
  context.out(`\n${text}\n`);
}

function quoted(word: string): string {
  return /^[\w.,=@/-]+$/.test(word) ? word : `'${word}'`;
}

function start(
  { project, context }: Stage,
  [program = "", ...argv]: readonly string[],
  output: "inherit" | "pipe",
): Promise<DemoAnswer> {
  const child = spawn(program, argv, {
    cwd: project.folder,
    // The demo was told about colours; what it starts is told the same.
    // It is a show: nobody pages through it.
    env: { ...project.env, PAGER: "", ...(context.color ? {} : { NO_COLOR: "1" }) },
    // With the keyboard, a command that shows its progress draws one line, as it would for the user.
    stdio: [output === "inherit" ? "inherit" : "ignore", output, output],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => done({ code: code ?? 1, stdout, stderr }));
  });
}
