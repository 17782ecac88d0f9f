/**
 * @file Before every test file. Properties draw their examples by the commit: a commit that passed
 * passes again, and each new one tries other examples; `AFTERLOG_SEED=…` tries more of them.
 * What programs print is compared as text, so none of them colors, wherever the tests run.
 */
import fc from "fast-check";
import { seedOfCommit } from "./seed-of-commit.ts";

fc.configureGlobal({ seed: seedOfCommit() });

delete process.env["FORCE_COLOR"];
process.env["NO_COLOR"] = "1";
