/** Text as the rewriting makes it, written by hand: the run time is tested without the analysis. */

/** A loop of a file: its name, what it is, and whether its body is light. */
export interface Site {
  readonly name: string;
  readonly kind: "of" | "plain";
  readonly trivial?: boolean;
}

/** The beginning of a rewritten file, with a name for the instrument: `own()`. */
export function header(file: string, sites: readonly Site[]): string {
  const table = sites.map(({ name, kind, trivial }, index) => {
    return [index + 1, 1, index + 1, 9, [], name, kind, trivial ? 1 : 0];
  });
  const make = `globalThis[Symbol.for("afterlog.instrument")]`;
  return `function own(){return own.i??=${make}(${JSON.stringify(file)},${JSON.stringify(table)},[])}`;
}

const TURN = (test: string): string => `(L.n-->0||L.next())&&(${test})&&(L.m||L.go())||L.end()`;

/** `while (test) body`. */
export function whileLoop(site: number, test: string, body: string, lent = ""): string {
  return `{const L=own().at(${site},()=>[${lent}]);try{while(${TURN(test)}){${body}}}finally{L.leave()}}`;
}

/** `do body while (test)`. */
export function doLoop(site: number, test: string, body: string, lent = ""): string {
  const loop = `do if(L.body()){${body}} while(${TURN(test)})`;
  return `{const L=own().at(${site},()=>[${lent}]);try{${loop}}finally{L.leave()}}`;
}

/** `for (init; test; update) body`, its head variables not captured by a closure. */
export function forLoop(
  site: number,
  [init, test, update]: readonly [string, string, string],
  body: string,
  lent = "",
): string {
  const loop = `for(;${TURN(test)};${update}){${body}}`;
  return `{${init};const L=own().at(${site},()=>[${lent}]);try{${loop}}finally{L.leave()}}`;
}

/** The same, captured: each iteration has its own copy. */
export function seenLoop(
  site: number,
  [init, test, update]: readonly [string, string, string],
  body: string,
  [lent, seen]: readonly [string, string],
): string {
  const loop = `for(${init};L.see(()=>[${seen}])&&(${TURN(test)});${update}){${body}}`;
  return `{const L=own().at(${site},()=>[${lent}]);try{${loop}}finally{L.leave()}}`;
}

/** `for (head of iterable) body`. */
export function ofLoop(site: number, head: string, iterable: string, body: string): string {
  return `{const L=own().at(${site},()=>[]);for(const ${head} of L.of(${iterable})){${body}}}`;
}

/** `for await (head of iterable) body`. */
export function awaitLoop(site: number, head: string, iterable: string, body: string): string {
  return `{const L=own().at(${site},()=>[]);for await(const ${head} of L.ofAwait(${iterable})){${body}}}`;
}

/** A `break` of the loop around it. */
export const BREAK = "{L.brk();break}";
