/**
 * @file Parts of a question in a file that the newest version does not have: nobody can tell them from
 * the rest of that file, and without them it would be another question.
 */
import type { FileEdit, FilePiece } from "../../landing/index.ts";
import type { ParsedFile } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { ProgramEdits } from "./program-edits.ts";

/** Why what is asked needs such a part; undefined: it needs none, or the file comes along. */
export function partElsewhere(
  { recognised, lacking, beside }: ProgramEdits,
  pieces: readonly (readonly [string, FilePiece])[],
): string | undefined {
  if (lacking.size === 0) return undefined;
  const texts = pieces.flatMap(([file, { statements }]) => {
    const edit = recognised.get(file);
    const own = statements.map(({ statement: { node } }) => {
      return edit?.now.text.slice(node.start, node.end) ?? "";
    });
    return edit ? [{ edit, text: own.join("\n") }] : [];
  });
  const brought = new Set(texts.flatMap((one) => filesBrought(one, lacking)));
  const words = new Set(texts.flatMap(({ text }) => [...wordsOf(text)]));
  const unknown = [...words].filter((word) => beside.filesWith(word).length === 0);
  for (const [file, text] of lacking) {
    const there = brought.has(file) ? new Set<string>() : namesGivenIn(text);
    const word = unknown.find((one) => there.has(one));
    if (word === undefined) continue;
    return `\`${word}\` comes from your ${file}; this run did not have that file`;
  }
  return undefined;
}

/** New files that a question imports, and what these import. */
function filesBrought(
  { edit: { then, now }, text }: { readonly edit: FileEdit; readonly text: string },
  lacking: ProgramEdits["lacking"],
): string[] {
  const [old, words] = [wordsOf(then.text), wordsOf(text)];
  const importing = text.split("\n").filter((line) => /\b(?:import|require)\b/.test(line));
  const own = now.imports.filter(({ module, local }) => {
    const isImported = importing.some((line) => line.includes(module));
    return isImported || (words.has(local) && !old.has(local));
  });
  const found = new Set<string>();
  const open: Pick<ParsedFile, "file" | "imports">[] = [{ file: now.file, imports: own }];
  for (const { file, imports } of open) {
    for (const wanted of imports) {
      const { resolveImport, read } = languageOf(file);
      const source = resolveImport(file, wanted, (name) => lacking.get(name));
      if (!source || found.has(source.file)) continue;
      found.add(source.file);
      const parsed = read(source.file, source.text);
      if (!("problem" in parsed)) open.push(parsed);
    }
  }
  return [...found];
}

/** Names and properties that a text gives values to, or declares. */
function namesGivenIn(text: string): Set<string> {
  const set = text.matchAll(/([\p{L}\p{N}_$]+)["']?\s*(?:[-+*/%|&?]{0,2}=(?![=>])|:)/gu);
  const declared = text.matchAll(/\b(?:function|class|def|let|const|var)\s+([\p{L}\p{N}_$]+)/gu);
  return new Set([...set, ...declared].map(([, name]) => name ?? ""));
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
}
