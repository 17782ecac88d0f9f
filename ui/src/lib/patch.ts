/** A diff as git writes it, as lines side by side. */

export interface PatchLine {
  readonly kind: "same" | "changed" | "added" | "removed" | "gap";
  readonly left: { readonly number: number; readonly text: string } | undefined;
  readonly right: { readonly number: number; readonly text: string } | undefined;
}

export interface PatchFile {
  readonly file: string;
  readonly lines: readonly PatchLine[];
}

export function parsePatch(patch: string): PatchFile[] {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== "");
  return files.map((part) => {
    const [head = "", ...hunks] = part.split(/^(?=@@ )/m);
    return { file: fileOf(head), lines: hunks.flatMap(hunkLines) };
  });
}

function fileOf(head: string): string {
  const [, after] = /^\+\+\+ b\/(.*)$/m.exec(head) ?? [];
  const [, before] = /^--- a\/(.*)$/m.exec(head) ?? [];
  const [, named = ""] = /^diff --git .* b\/(.*)$/m.exec(head) ?? [];
  return after ?? before ?? named;
}

function hunkLines(hunk: string): PatchLine[] {
  const [head = "", ...rows] = hunk.replace(/\n$/, "").split("\n");
  const [, from = "1", to = "1"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
  let [left, right] = [Number(from), Number(to)];
  const lines: PatchLine[] = [{ kind: "gap", left: undefined, right: undefined }];
  const removed: NonNullable<PatchLine["left"]>[] = [];
  const added: NonNullable<PatchLine["right"]>[] = [];
  // What was removed and what was added for it stand beside one another.
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const kind = removed[at] && added[at] ? "changed" : removed[at] ? "removed" : "added";
      lines.push({ kind, left: removed[at], right: added[at] });
    }
    removed.length = 0;
    added.length = 0;
  };
  for (const row of rows) {
    const text = row.slice(1);
    if (row.startsWith("-")) removed.push({ number: left++, text });
    else if (row.startsWith("+")) added.push({ number: right++, text });
    else if (!row.startsWith("\\")) {
      flush();
      const [own, other] = [left++, right++];
      lines.push({ kind: "same", left: { number: own, text }, right: { number: other, text } });
    }
  }
  flush();
  return lines;
}
