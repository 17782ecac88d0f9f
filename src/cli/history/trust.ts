/** @file `afterlog trust [REMOTE]`: whose pulled code may be executed here. */
import type { RemoteTrust } from "../../app/index.ts";
import { changeTrust, listTrust } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { formatCount, formatTime } from "../terminal/format-units.ts";
import { renderTable } from "../terminal/text-table.ts";

export function trustCommand(
  context: CliContext,
  remote: string | undefined,
  { withdraw }: OptionsOf<"trust">,
): Promise<number> {
  const ports = portsOf(context);
  if (remote === undefined) {
    if (withdraw === true) {
      throw new AfterlogError("AL001", "--withdraw needs a remote", {
        help: ["see those that are trusted:  afterlog trust"],
      });
    }
    printList(context, listTrust(ports));
    return Promise.resolve(0);
  }
  const changed = changeTrust(ports, remote, { withdraw });
  if (context.json) context.out(`${JSON.stringify({ schema: 1, ...changed })}\n`);
  else if (withdraw === true) context.out(`${changed.address} is trusted no more\n`);
  else {
    context.out(`${changed.address} is trusted: its runs may be executed here\n`);
    context.err(`  take it back:  afterlog trust ${remote} --withdraw\n`);
  }
  return Promise.resolve(0);
}

function printList(context: CliContext, remotes: readonly RemoteTrust[]): void {
  if (context.json) {
    context.out(`${JSON.stringify({ schema: 1, remotes })}\n`);
    return;
  }
  if (remotes.length === 0) {
    context.err("no run here came from a remote, and none is trusted\n");
    return;
  }
  const rows = remotes.map(({ remote, address, runs, trusted }) => [
    remote ?? "",
    trusted === null ? "no" : formatTime(new Date(trusted)),
    formatCount(runs),
    address,
  ]);
  const columns = [
    { title: "REMOTE", align: "left" },
    { title: "TRUSTED", align: "left" },
    { title: "RUNS", align: "right" },
    { title: "ADDRESS", align: "left" },
  ] as const;
  context.out(renderTable(columns, rows, { ...context, width: context.columns }));
}
