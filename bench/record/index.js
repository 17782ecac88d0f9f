// @ts-check
/** @file What recording costs and how fast its parts are. */
import { benchCatalog } from "./catalog.js";
import { benchLog } from "./log.js";
import { benchNames } from "./names.js";
import { benchDigits, benchHeavy } from "./overhead.js";
import { benchPersist } from "./persist.js";
import { benchRestore } from "./restore.js";
import { benchFirst, benchSnapshot } from "./snapshot.js";

/** @type {{ readonly [name: string]: import("../measure.js").Bench }} */
export const RECORD = {
  snapshot: benchSnapshot,
  first: benchFirst,
  persist: benchPersist,
  restore: benchRestore,
  log: benchLog,
  digits: benchDigits,
  heavy: benchHeavy,
  catalog: benchCatalog,
  names: benchNames,
};
