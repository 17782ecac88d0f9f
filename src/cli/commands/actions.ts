/**
 * @file What each command does, loaded when it is called: `afterlog --help` needs no database and no
 * parser. The compiler holds every action to the words of the table.
 */
import type { CliContext } from "../context.ts";
import type { ArgumentsOf, CommandName, OptionsOf } from "./command-table.ts";

/** Its number is the exit code. */
type Action<Name extends CommandName> = (
  context: CliContext,
  ...words: readonly [...ArgumentsOf<Name>, OptionsOf<Name>]
) => Promise<number>;

export type Actions = { readonly [Name in CommandName]: () => Promise<Action<Name>> };

/**
 * The actions that read an option that the table does not have. It would never be set, and as every
 * option may be missing, a function that wants it could take the others without an error.
 */
export type ReadingUnknownOptions<Loaded extends Actions> = {
  [Name in CommandName]: Awaited<ReturnType<Loaded[Name]>> extends (
    context: CliContext,
    ...words: readonly [...ArgumentsOf<Name>, infer Options]
  ) => unknown
    ? keyof Options extends keyof OptionsOf<Name>
      ? never
      : Name
    : never;
}[CommandName];

const actions = {
  init: async () => (await import("../recording/init.ts")).initCommand,
  run: async () => (await import("../recording/run.ts")).runCommand,
  demo: async () => (await import("../demo/demo.ts")).demoCommand,
  ls: async () => (await import("../reading/ls.ts")).lsCommand,
  show: async () => (await import("../reading/show.ts")).showCommand,
  ui: async () => (await import("../reading/ui.ts")).uiCommand,
  frame: async () => (await import("../reading/frame.ts")).frameCommand,
  plot: async () => (await import("../reading/plot.ts")).plotCommand,
  tail: async () => (await import("../following/tail.ts")).tailCommand,
  watch: async () => (await import("../following/watch.ts")).watchCommand,
  query: async () => (await import("../reading/query.ts")).queryCommand,
  export: async () => (await import("../reading/export.ts")).exportCommand,
  du: async () => (await import("../reading/du.ts")).duCommand,
  affected: async () => (await import("../reading/affected.ts")).affectedCommand,
  completion: async () => (await import("../completion/completion.ts")).completionCommand,
  config: async () => (await import("../reading/config.ts")).configCommand,
  plan: async () => (await import("../replaying/plan.ts")).planCommand,
  replay: async () => (await import("../replaying/replay.ts")).replayCommand,
  resume: async () => (await import("../replaying/replays.ts")).resumeCommand,
  go: async () => (await import("../replaying/replays.ts")).goCommand,
  cancel: async () => (await import("../replaying/replays.ts")).cancelCommand,
  ps: async () => (await import("../replaying/replays.ts")).psCommand,
  why: async () => (await import("../reading/why.ts")).whyCommand,
  check: async () => (await import("../replaying/check.ts")).checkCommand,
  restore: async () => (await import("../reading/restore.ts")).restoreCommand,
  fork: async () => (await import("../recording/fork.ts")).forkCommand,
  gc: async () => (await import("../reading/gc.ts")).gcCommand,
  where: async () => (await import("../history/where-command.ts")).whereWords,
  bisect: async () => (await import("../history/bisect.ts")).bisectCommand,
  diff: async () => (await import("../history/diff.ts")).diffCommand,
  alert: async () => (await import("../alerts/alert.ts")).alertCommand,
  tag: async () => (await import("../annotating/tag.ts")).tagCommand,
  note: async () => (await import("../annotating/note.ts")).noteCommand,
  name: async () => (await import("../annotating/note.ts")).nameCommand,
  hide: async () => (await import("../annotating/hide.ts")).hideCommand,
  rm: async () => (await import("../annotating/rm.ts")).rmCommand,
  push: async () => (await import("../history/exchange.ts")).pushCommand,
  pull: async () => (await import("../history/exchange.ts")).pullCommand,
  trust: async () => (await import("../history/trust.ts")).trustCommand,
} satisfies Actions;

// Does not compile if one of them does: its name is then no `never`.
const _none: readonly never[] = [] as readonly ReadingUnknownOptions<typeof actions>[];

/** The table holds the words of the caller to the action's types; here they are words. */
export function loadAction(
  name: CommandName,
): Promise<(context: CliContext, ...words: readonly unknown[]) => Promise<number>> {
  return actions[name]() as ReturnType<typeof loadAction>;
}
