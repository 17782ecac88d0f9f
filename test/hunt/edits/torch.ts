/** @file What people ask of a model in PyTorch; `modelT`, `optT` and `batchT` are of `ingredients.ts`. */
import type { Edit } from "./edit.ts";

const python = (kind: string, added: NonNullable<Edit["python"]>["added"], more = {}): Edit => ({
  kind,
  torch: true,
  python: added === undefined ? {} : { added },
  ...more,
});

export const TORCH: readonly Edit[] = [
  python("torch: evaluation mode, no_grad, back", {
    epochEnd: `modelT.eval()
with torch.no_grad():
    clean$ = modelT(torch.tensor([[A]])).item()
modelT.train()
print("ask_$", clean$)`,
  }),
  python("torch: evaluation mode and as it was, inner", {
    step: `was$ = modelT.training
modelT.eval()
print("ask_$", modelT(torch.tensor([[A]])).item())
modelT.train(was$)`,
  }),
  python(
    "torch: BatchNorm called in training mode",
    { epochEnd: `print("ask_$", modelT(torch.tensor([[A], [B]])).mean().item())` },
    {
      aside: true,
      // What is asked behind it in the same part sees the running means that it leaves.
      alone: true,
      truth: {
        python: {
          added: {
            epochEnd: `print("ask_$", __import__("copy").deepcopy(modelT)(torch.tensor([[A], [B]])).mean().item())`,
          },
        },
      },
    },
  ),
  python(
    "torch: evaluation mode, and the run goes back itself",
    { epochEnd: `modelT.eval()\nprint("ask_$", modelT(torch.tensor([[A]])).item())` },
    {
      run: { python: { epochStart: "modelT.train()" } },
      truth: {
        python: {
          added: {
            epochEnd: `modelT.eval()\nprint("ask_$", modelT(torch.tensor([[A]])).item())\nmodelT.train()`,
          },
        },
      },
    },
  ),
  python(
    "torch: dropout",
    { epochEnd: `print("ask_$", modelT.drop(torch.ones(8)).sum().item() + A)` },
    { aside: true },
  ),
  python(
    "torch: all parameters",
    {
      epochEnd: `for n$, p$ in modelT.named_parameters():
    print("ask_$_" + n$.replace(".", "_"), p$.norm().item())`,
    },
    { asks: ["ask_$_out_weight", "ask_$_norm_bias"] },
  ),
  python("torch: norm of the gradients", {
    epochEnd: `norms$ = [p.grad.norm().item() for p in modelT.parameters() if p.grad is not None]
print("ask_$", sum(norms$))`,
  }),
  python("torch: state of the optimizer", {
    epochEnd: `print("ask_$", optT.state[modelT.out.weight]["exp_avg"].norm().item())`,
  }),
  python("torch: a forward hook", {
    init: `acts$ = []
handle$ = modelT.out.register_forward_hook(lambda m, i, o: acts$.append(o.mean().item()))`,
    epochEnd: `print("ask_$", acts$[-1])`,
    end: "handle$.remove()",
  }),
  python("torch: what clipping gives", undefined, {
    python: {
      changed: {
        clipT: `g$ = nn.utils.clip_grad_norm_(modelT.parameters(), 0.5)
print("ask_$", g$.item())`,
      },
    },
  }),
];
