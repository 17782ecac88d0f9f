/**
 * @file Kinds of state that came when the programs of `npm test` were known. They are drawn by
 * numbers of their own (`compose.ts`): a program that has none of them is what it was before.
 */
import type { Gadget } from "../truth/gadgets.ts";
import type { Gadgets, Language, Package } from "./ingredients.ts";

const number = (declare: string, update: string, value: string): Gadget => ({
  declare,
  update,
  value,
  read: value,
});

/** Arrays that share memory, and one of more than a page that few steps change. */
const NUMPY: Gadgets = {
  numpyTail: {
    module: "import numpy as np",
    ...number(
      "whole$ = np.full(3, 0.2)\ntail$ = whole$[1:]",
      "tail$[-1] = mix(float(whole$[2]), V)",
      "float(whole$[2])",
    ),
  },
  numpySeldom: {
    module: "import numpy as np",
    ...number(
      "peaks$ = np.full(600, 0.1)\npeak$ = 0.2",
      "peak$ = mix(peak$, V)\nif peak$ > 0.9:\n    peaks$[1] = peak$",
      "mix(float(peaks$[1]), peak$)",
    ),
  },
};

/** What happens to parameters in the middle of a training; `modelT` is of `ingredients.ts`. */
const TORCH: Gadgets = {
  // It stays as it is in most iterations: what is set anew in each needs no restore.
  torchFrozen: number(
    "",
    "if V > 0.7:\n    modelT.layer.weight.requires_grad_(not modelT.layer.weight.requires_grad)",
    "frac(modelT.layer.weight[0, 0].item())",
  ),
  torchLeft: number(
    "drawn$ = torch.full((4,), 0.3)\nkept$ = [drawn$.detach()[:2]]",
    "drawn$ = torch.full((4,), V)\nkept$[0] *= 0.5\nkept$[0] += drawn$[:2] / 4",
    "frac(kept$[0][0].item())",
  ),
  torchUntied: number(
    "slow$ = torch.full((3,), 0.2)\nfast$ = slow$.detach()",
    "fast$.data = fast$.data * 0.5 + V / 2\nslow$ *= 0.9",
    "frac(slow$[0].item() + fast$[1].item())",
  ),
};

const TYPESCRIPT: Gadgets = {
  // One that nobody changes lies between them in Node's pool.
  pooled: number(
    'const near$ = Buffer.allocUnsafe(8); near$.writeDoubleLE(0.1); const between$ = Buffer.from("between"); const next$ = Buffer.allocUnsafe(8); next$.writeDoubleLE(0.2);',
    "near$.writeDoubleLE(mix(near$.readDoubleLE(), V)); next$.writeDoubleLE(mix(next$.readDoubleLE(), near$.readDoubleLE()));",
    "next$.readDoubleLE()",
  ),
};

/** For programs that have the package, and for all others of a language. */
export const LATER: { readonly [which in Language | Package]?: Gadgets } = {
  numpy: NUMPY,
  torch: { ...NUMPY, ...TORCH },
  typescript: TYPESCRIPT,
};
