/**
 * @file `dataset`, whose products the run knows from when they are made: a restore must set them
 * before any loop takes them up, since a program may ask or move one by hand.
 */
import type { MakeDataset } from "../loader/index.ts";
import { datasetMaker } from "../loader/index.ts";
import { current } from "./current.ts";

/**
 * Items to loop over whose order, batches and random transforms can be taken up again at any
 * batch: `dataset(items).shuffle(seed).batch(32).map(fn)`.
 *
 * @example
 * const data = al.dataset(images).shuffle(7).batch(32);
 * for (const epoch of al.loop("epoch", al.range(10))) {
 *   for (const batch of al.loop("step", data)) …
 * }
 */
export const dataset: MakeDataset = datasetMaker({
  made(loader) {
    const session = current();
    session?.parts.iterators.made(loader, session.frame, session.director !== undefined);
  },
  moved(loader) {
    const session = current();
    session?.parts.iterators.moved(loader, session.frame);
  },
});
