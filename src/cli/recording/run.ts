/** @file `afterlog run`: reads the options, records the program, and ends as it did. */
import { findProgram, parsePolicy, recordRun } from "../../app/record.ts";
import type { SettingSources } from "../../format/index.ts";
import { AfterlogError, describeError, isSeed, parseShare } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { recordingSession } from "./recording-view.ts";

type RunOptions = OptionsOf<"run">;

/** Records a program; resolves to its own exit code. */
export async function runCommand(
  context: CliContext,
  file: string,
  argv: readonly string[],
  options: RunOptions,
): Promise<number> {
  const ports = portsOf(context, options);
  const program = findProgram(ports, file);
  const { name, handsFree, python, force, resumeRun: reference } = options;
  const resume = options.resume === true || reference !== undefined ? { reference } : undefined;
  const flags = flagsOf(options);
  const tries = readCountOption("--auto-resume", options.autoResume, AUTO_HELP);
  const request = { program, argv, name, flags, handsFree, python, resume, force, tries };
  const { code } = await recordRun(ports, request, recordingSession(context, file));
  return code;
}

const GRACE_HELP = "give seconds for a last checkpoint after SIGTERM:  --grace 20";
const AUTO_HELP = "say how often to resume after a crash:  --auto-resume 3";

function readCountOption(
  option: string,
  text: string | undefined,
  help: string,
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new AfterlogError("AL001", `${option} ${text} is not a whole number`, { help: [help] });
}

/** What was said of settings on the command line, as texts. Throws AL001 for what is wrong. */
function flagsOf(options: RunOptions): SettingSources["flags"] {
  const { seed, overhead, keep, grace, console: given } = options;
  if (seed !== undefined && !isSeed(seed)) {
    throw new AfterlogError("AL001", `--seed ${seed} is not a whole number of 64 bits`, {
      help: ["give a number from 0 to 18446744073709551615:  --seed 42"],
    });
  }
  if (overhead !== undefined && parseShare(overhead) === undefined) {
    throw new AfterlogError("AL001", `--overhead ${overhead} is not a share between 0 and 1`, {
      help: ["give a share or percent:  --overhead 0.02   --overhead 2%"],
    });
  }
  if (keep !== undefined) parsePolicy("--keep", keep);
  readCountOption("--grace", grace, GRACE_HELP);
  if (typeof given === "string") checkRule(given);
  return {
    "record.seed": seed ?? null,
    "record.overhead": overhead ?? null,
    "record.keep": keep ?? null,
    "record.grace": grace ?? null,
    "record.console": given === undefined ? null : String(given),
  };
}

/** `--console` takes a regular expression whose groups are names. */
function checkRule(given: string): void {
  const help = ["name what is logged:  --console 'it (?<iteration>\\d+) L=(?<loss>\\S+)'"] as const;
  try {
    void new RegExp(given);
  } catch (error) {
    const why = describeError(error);
    throw new AfterlogError("AL001", `--console ${given}: ${why}`, { help });
  }
  if (/\(\?<[A-Za-z_]/.test(given)) return;
  throw new AfterlogError("AL001", `--console ${given} names no value`, { help });
}
