/** @file `afterlog completion SHELL`: a script that asks `afterlog __complete` for the words that fit. */
import { AfterlogError } from "../../format/index.ts";
import type { CliContext } from "../context.ts";

/**
 * Each hands over the words so far, the one that is being typed last, and takes a line a candidate; where there
 * is none, the shell completes files.
 */
const SCRIPTS: { readonly [shell: string]: string } = {
  bash: `_afterlog() {
  local IFS=$'\\n' word
  COMPREPLY=()
  while read -r word; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(afterlog __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o nosort -F _afterlog afterlog 2>/dev/null || complete -o default -F _afterlog afterlog
`,
  zsh: `_afterlog() {
  local -a found
  found=("\${(@f)$(afterlog __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -V afterlog -- "\${found[@]}"; else _files; fi
}
compdef _afterlog afterlog
`,
  fish: `function __afterlog_complete
  set -l words (commandline -opc) (commandline -ct)
  afterlog __complete $words[2..-1] 2>/dev/null
end
complete -c afterlog -k -a '(__afterlog_complete)'
`,
};

export function completionCommand(context: CliContext, shell: string): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const names = Object.keys(SCRIPTS).join(", ");
    throw new AfterlogError("AL001", `there is no completion for ${JSON.stringify(shell)}`, {
      help: [`name one of ${names}:  afterlog completion bash`],
    });
  }
  context.out(context.json ? `${JSON.stringify({ shell, script })}\n` : script);
  return Promise.resolve(0);
}
