/**
 * @file Before every test file: properties draw their examples by the commit. A commit that passed
 * passes again, and each new one tries other examples; `AFTERLOG_SEED=…` tries more of them.
 */
import fc from "fast-check";
import { seedOfCommit } from "./seed-of-commit.ts";

fc.configureGlobal({ seed: seedOfCommit() });
