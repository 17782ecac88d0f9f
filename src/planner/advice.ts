/**
 * @file What to change in a program so that a loop need not be executed again, for the reasons why
 * it is. The first that fits counts; where nothing certain can be said, nothing is.
 */

const ADVICE: readonly (readonly [reason: RegExp, advice: string])[] = [
  [
    /\._sampler_iter cannot be captured/,
    "go through the loader in the head of a loop, for batch in loader",
  ],
  [/: it is a generator$/, "go through it in the head of a loop, or make a list of it"],
  [/: it is a file that was opened after/, "close it in the same iteration, or open it before"],
  [/: it is a file that is open for reading and writing$/, "open it once more to read it"],
  [/: it is a tensor whose history/, "use .detach() or .item() where no backward() needs it later"],
  [
    /: it is an object whose prototype is not that of a class$/,
    "say whose it is, Net.prototype = { constructor: Net, … }, or write a class",
  ],
  [
    / was loaded by an import that cannot be followed$/,
    "name it in an import statement somewhere, too",
  ],
  [
    /: (?:exec|eval|globals|locals|compile)\(\) does what the source does not tell$/,
    "import what it executes, or set variables by their names",
  ],
  [/^an attribute of the function .* is changed/, "keep it in a variable or in an instance"],
  [/ changes how the library works .*cannot be captured$/, "call it before the loop"],
  [
    /^[\w$]+=? \(.*cannot be captured$/,
    "keep what changes in a variable of its file, or in an instance",
  ],
];

/** The reason, with what would mend it. */
export function withAdvice(reason: string): string {
  const advice = ADVICE.find(([fits]) => fits.test(reason))?.[1];
  return advice === undefined ? reason : `${reason}; ${advice}`;
}
