/**
 * @file A file of a package with the loops in it that its skeleton has: each is what a loop of the program becomes, known by
 * the place of the skeleton's. Variables of the skeleton's loop have the names that the package gives them.
 */
import type { SourceModel } from "../../source-model.ts";
import { lowerFile } from "../analysis/lowering/lower-file.ts";
import type { LoopSite } from "../analysis/lowering/ir.ts";
import type { AnalyzedFile } from "../analyze.ts";
import type { PackageLoop, Skeleton } from "../libraries/loop-skeletons.ts";
import { Lines } from "../../lines.ts";
import { rewriteLoop } from "./rewrite-loops.ts";
import {
  accessor,
  changesOfLoop,
  headerOf,
  ownName,
  seenAt,
  tableEntry,
} from "./rewrite-source.ts";
import { Edits } from "./text-edits.ts";

interface KnownPackage {
  readonly skeleton: Skeleton;
  /** The skeleton as it was analysed. */
  readonly known: AnalyzedFile;
  readonly model: SourceModel;
}

/** Throws if the package has not the loops that are described. */
export function rewritePackage(path: string, text: string, given: KnownPackage): string {
  const { skeleton, known, model } = given;
  const unit = lowerFile(path, text, known.unit.mode);
  const edits = new Edits(text);
  const own = ownName(text);
  const lines = new Lines(known.text);
  const table = known.unit.loops.map((stands, index) => {
    const changes = changesOfLoop(model, known.unit, stands);
    const captured = changes.filter(({ access }) => access === "name");
    const loop = skeleton.loops.find(({ name }) => name === stands.written?.given);
    if (loop && path.endsWith(`/${loop.file}`)) {
      const site = siteOf(unit.loops, loop);
      const accessors = captured.map(({ key, name }) => {
        const binding = seenAt(site, name);
        if (!binding && name !== "this") throw new Error(`${loop.function} has no ${name}`);
        return { text: accessor(own, key, name, binding), binding };
      });
      const made = (lent: readonly string[]): string =>
        `(${own}.i?.off[${index}]??${own}().at(${index},()=>[${lent.join()}]))`;
      if (loop.first !== undefined) edits.before(site.labelled, `${loop.first};`);
      rewriteLoop(edits, unit, { site, own: `${own}${index}`, made, accessors });
    }
    const keys = captured.map(({ key }) => key);
    return tableEntry(stands, lines, keys, true);
  });
  edits.first(unit.start, headerOf(own, [skeleton.file, table, [], [], [], []]));
  return edits.apply(own).text;
}

function siteOf(loops: readonly LoopSite[], { function: name, file }: PackageLoop): LoopSite {
  const found = loops.find(({ lowered, form }) => lowered.name === name && form === "plain");
  if (!found) throw new Error(`${file} has no loop in ${name}`);
  return found;
}
