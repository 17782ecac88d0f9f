/**
 * @file One Python script as it changed: renames, an argument, a refactoring into functions. Marks
 * stand where a person would put the statements that were thought of last.
 */
import type { Version } from "../versions/history.ts";

/** As the newest version has them, in the words of each older one. */
type ByHand = Readonly<{ [mark: string]: string }>;

const MARKS = /^[ \t]*# (?:STEP|EPOCH|END|HEAD)\n/gm;

function version(text: string, byHand: ByHand): Version {
  const filled = text.replaceAll(MARKS, (line) => {
    const [, indent = "", mark = ""] = /^([ \t]*)# (\w+)\n$/.exec(line) ?? [];
    return (byHand[mark] ?? "").replaceAll(/^(?=.)/gm, indent);
  });
  return {
    program: "train.py",
    files: { "train.py": text.replaceAll(MARKS, "") },
    byHand: { "train.py": filled },
  };
}

const NORM = "import math\n\ndef norm(values):\n    return math.sqrt(sum(v * v for v in values))\n";

/** All of it at top level, with the names that a version has. */
const flat = (tab: string, [w, e, i, g]: readonly [string, string, string, string]): string =>
  `import random
import afterlog as al
# HEAD
random.seed(7)
${w} = [random.random() for _ in range(4)]
for ${e} in al.loop("epoch", range(4)):
\tfor ${i} in al.loop("step", range(5)):
\t\t${g} = random.gauss(0, 0.1)
\t\t${w}[${i} % 4] += ${g}
\t\t# STEP
\tal.log("first", ${w}[0])
\t# EPOCH
al.log("done", len(${w}))
# END
`.replaceAll("\t", tab);

const FLAT = flat("\t", ["w", "e", "i", "g"]);
const RENAMED = flat("    ", ["weights", "epoch", "step", "kick"]);

const WITH_ARGUMENTS = `"""A walk."""
import random
import afterlog as al
# HEAD
scale = al.arg("scale", 0.1)
random.seed(7)
weights = [random.random() for _ in range(4)]
with al.checkpointing(weights=weights):
    for epoch in al.loop("epoch", range(al.arg("epochs", 4))):
        for step in al.loop("step", range(5)):
            kick = random.gauss(0, scale)
            weights[step % 4] += kick
            # STEP
        al.log("first", weights[0])
        # EPOCH
al.log("done", len(weights))
# END
`;

const IN_FUNCTIONS = `"""A walk."""
import random
import afterlog as al
# HEAD


def one_epoch(weights, scale):
    for step in al.loop("step", range(5)):
        kick = random.gauss(0, scale)
        weights[step % 4] += kick
        # STEP


def main():
    random.seed(7)
    weights = [random.random() for _ in range(4)]
    with al.checkpointing(weights=weights):
        for epoch in al.loop("epoch", range(al.arg("epochs", 4))):
            one_epoch(weights, al.arg("scale", 0.1))
            al.log("first", weights[0])
            # EPOCH
    al.log("done", len(weights))
    # END


main()
`;

const GUARDED = IN_FUNCTIONS.replace(
  /\nmain\(\)\n$/,
  '\nif __name__ == "__main__":\n    main()\n',
).replace("kick = random.gauss(0, scale)", "kick = random.gauss(mu=1, sigma=scale)");

const SHORT: ByHand = {
  HEAD: NORM,
  STEP: 'al.log("spread", max(w) - min(w))\n',
  EPOCH: 'al.log("norm", norm(w))\n',
  END: 'al.log("final", round(norm(w), 9))\n',
};
const LONG: ByHand = Object.fromEntries(
  Object.entries(SHORT).map(([mark, text]) => [mark, text.replaceAll(/\bw\b/g, "weights")]),
);

export const VERSIONS: readonly Version[] = [
  version(FLAT, SHORT),
  version(RENAMED, LONG),
  version(WITH_ARGUMENTS, LONG),
  version(IN_FUNCTIONS, LONG),
  version(GUARDED, LONG),
];

/** The working tree: the last version with the statements. */
export const NEWEST: string = VERSIONS.at(-1)?.byHand?.["train.py"] ?? "";
