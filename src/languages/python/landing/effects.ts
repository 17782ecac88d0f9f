/**
 * @file What executing a definition that is brought along would do to an old run: nothing, read the
 * clock, call code that is not known to be harmless (the model, mostly), or change the training.
 */
import type { TreeNode } from "../../../tree/index.ts";
import type { Effect } from "../../landing/grammar.ts";
import type { OwnNames } from "./own-names.ts";
import { NOTHING_OWN, ownNames } from "./own-names.ts";
import type { PyNode } from "./syntax.ts";
import {
  argumentsOf,
  assignmentIn,
  definitionIn,
  dotted,
  fieldOf,
  hasToken,
  named,
} from "./syntax.ts";

const ORDER: readonly Effect[] = ["none", "clock", "calls", "changes"];

const PURE_FUNCTIONS = new Set(
  (
    "abs all any bool bytes chr complex dict divmod enumerate filter float format frozenset getattr " +
    "hasattr hash hex id int isinstance issubclass iter len list map max min oct ord pow range repr " +
    "reversed round set slice sorted str sum tuple type vars zip Counter defaultdict deque Path " +
    "ValueError TypeError RuntimeError super"
  ).split(" "),
);
/** Modules whose functions compute and nothing else, but for those that `CHANGING_PATHS` names. */
const PURE_MODULES =
  /^(?:math|statistics|json|re|itertools|functools|operator|collections|os\.path|np|numpy|torch|F|nn\.functional|torch\.nn\.functional)$/;
const CHANGING_PATHS =
  /^(?:random|np\.random|numpy\.random|secrets)\.|\.(?:manual_seed|seed|set_[a-z_]+|rand\w*|randn\w*|randint\w*|randperm|bernoulli|multinomial|normal|dropout\w*|save|savez\w*|savetxt|dump|load|put|place|copyto|fill_diagonal)$|\.nn\.init\./;
const CLOCK = /^(?:time|datetime|dt)\.|\.(?:now|utcnow|today|perf_counter|monotonic|time)$/;

/** Methods of texts, lists, arrays and tensors that leave what they are called on as it was. */
const PURE_METHODS = new Set(
  (
    "capitalize casefold center count decode encode endswith find format get index isdigit items join " +
    "keys ljust lower lstrip partition replace rjust rsplit rstrip split splitlines startswith strip " +
    "title upper values zfill copy " +
    "abs add all allclose amax amin any argmax argmin argsort astype bfloat16 bool ceil chunk clamp " +
    "clip clone contiguous cos cpu cuda cumsum detach diag dim div double dot element_size eq exp " +
    "expand expm1 flatten flip float floor gather ge gt half int isfinite isinf isnan item le log log10 " +
    "log1p log2 log_softmax logical_and logical_not logical_or logsumexp long lt matmul max mean median " +
    "min mm mul nan_to_num ndim ne neg nelement nonzero norm numel numpy permute pow prod quantile ravel " +
    "relu repeat reshape round rsqrt select sigmoid sign sin size softmax sqrt square squeeze std " +
    "stride sub sum t tanh to tobytes tolist topk transpose tril triu type unbind unsqueeze var view " +
    "where parameters named_parameters buffers named_buffers modules named_modules children state_dict " +
    "most_common total_seconds isoformat strftime"
  ).split(" "),
);
/** Methods under which training goes on, or what is there is changed: these are never repeated. */
const CHANGING = new Set(
  (
    "step backward zero_grad fit partial_fit train_step training_step append extend insert pop popitem " +
    "remove clear update setdefault sort reverse add discard write writelines save load_state_dict " +
    "set_state set_rng_state seed manual_seed shuffle send throw close unscale_ scale"
  ).split(" "),
);
/** Of these `add` is a computation on tensors and a change of sets: the object tells. */
const BOTH = new Set(["add"]);

/** Whether a property is one that texts, lists, arrays or tensors have. */
export function isKnownMethod(name: string): boolean {
  return (
    PURE_METHODS.has(name) ||
    CHANGING.has(name) ||
    /^(?:shape|dtype|device|data|grad|T|real|imag|ndim|training|__\w+__)$/.test(name)
  );
}

/** Whether an object is a module that programs of this kind take their functions from. */
export function isKnownObject(name: string): boolean {
  return PURE_MODULES.test(name) || /^(?:random|time|datetime|os|sys|logging|al)$/.test(name);
}

/** The most harmful thing that a part of a program does when it is executed. */
export function effectOf(node: PyNode): Effect {
  return worstIn(node, NOTHING_OWN);
}

function worstIn(node: PyNode, own: OwnNames): Effect {
  const inner = node.type === "function_definition" ? ownNames(node, own) : own;
  let worst = ownEffect(node, inner);
  for (const child of named(node)) {
    const effect = worstIn(child, inner);
    if (ORDER.indexOf(effect) > ORDER.indexOf(worst)) worst = effect;
  }
  return worst;
}

function ownEffect(node: PyNode, own: OwnNames): Effect {
  const { containers } = own;
  switch (node.type) {
    case "call":
      return effectOfCall(node, containers);
    case "assignment":
    case "augmented_assignment": {
      const left = fieldOf(node, "left");
      const isChange = left && (changesObject(left, containers) || addsToOthers(node, own));
      return isChange ? "changes" : "none";
    }
    case "delete_statement":
      return named(node).some((one) => changesObject(one, containers)) ? "changes" : "none";
    case "yield":
      return "changes";
    case "await":
      return "calls";
    default:
      return "none";
  }
}

/** `v /= 2` changes the tensor that was given as `v`; of what the function made itself it may. */
function addsToOthers(node: PyNode, { values }: OwnNames): boolean {
  if (node.type !== "augmented_assignment") return false;
  const left = fieldOf(node, "left");
  return values !== undefined && left?.type === "identifier" && !values.has(left.text);
}

/** Whether assigning to something changes an object, and not only a name. */
function changesObject(target: PyNode, own: ReadonlySet<string>): boolean {
  if (target.type === "identifier") return false;
  if (target.type === "attribute" || target.type === "subscript") {
    return !own.has(rootOf(target));
  }
  return named(target).some((one) => changesObject(one, own));
}

/** The name that a chain of members begins with; empty if it begins otherwise. */
function rootOf(node: PyNode): string {
  if (node.type === "identifier") return node.text;
  const inner = fieldOf(node, "object") ?? fieldOf(node, "value");
  return inner && /^(?:attribute|subscript)$/.test(node.type) ? rootOf(inner) : "";
}

/** What calling a function does, by its name alone. */
export function effectOfName(callee: PyNode): Effect {
  if (callee.type !== "identifier") return "calls";
  if (PURE_FUNCTIONS.has(callee.text)) return "none";
  if (/^(?:next|exec|eval|setattr|delattr|open|input|globals|locals)$/.test(callee.text)) {
    return "changes";
  }
  return isTraining(callee.text) ? "changes" : "calls";
}

function effectOfCall(node: PyNode, own: ReadonlySet<string>): Effect {
  const callee = fieldOf(node, "function");
  if (callee?.type !== "attribute") return callee ? effectOfName(callee) : "calls";
  const object = fieldOf(callee, "object");
  const method = fieldOf(callee, "attribute")?.text ?? "";
  const path = dotted(callee);
  if (CHANGING_PATHS.test(path) || argumentsOf(node).some(isPlaceToWrite)) return "changes";
  if (CLOCK.test(path)) return "clock";
  if (object && PURE_MODULES.test(dotted(object))) return method.endsWith("_") ? "changes" : "none";
  if (object && own.has(rootOf(object))) return "none";
  // Flags are put back around what is asked; in-place methods of tensors are not.
  if (/^(?:train|eval|requires_grad_)$/.test(method)) return "calls";
  if (/[a-z]_$/.test(method)) return "changes";
  if (BOTH.has(method)) return "changes";
  if (PURE_METHODS.has(method)) return "none";
  return CHANGING.has(method) || isTraining(method) ? "changes" : "calls";
}

/** `out=x` and `inplace=True` say that a function writes into what it is given. */
function isPlaceToWrite(argument: PyNode): boolean {
  if (argument.type !== "keyword_argument") return false;
  const [name, value] = [fieldOf(argument, "name")?.text, fieldOf(argument, "value")?.type];
  return (name === "out" && value !== "none") || (name === "inplace" && value !== "false");
}

/** A name that says of a function that it trains, or logs, or goes over the data in a loop. */
function isTraining(name: string): boolean {
  return /^(?:train|fit|optimi[sz]e|update|backprop|log|loop|checkpointing)(?![a-z])/.test(name);
}

/** Methods that change what they do not name: an optimizer its model, a loss the gradients. */
const FAR_REACHING = new Set(
  (
    "step backward zero_grad fit partial_fit train_step training_step load_state_dict unscale_ " +
    "minimize manual_backward"
  ).split(" "),
);

/** Whether executing a node may change an object that it does not name. */
export function changesOthers(node: PyNode): boolean {
  const callee = node.type === "call" ? fieldOf(node, "function") : undefined;
  const method = callee?.type === "attribute" ? fieldOf(callee, "attribute") : callee;
  const name = method?.type === "identifier" ? method.text : "";
  if (FAR_REACHING.has(name) || isTrainingCall(callee, name)) return true;
  return definitionIn(node) === undefined && named(node).some(changesOthers);
}

/** A function of the program that trains, by its name: its model may be a variable of the module. */
function isTrainingCall(callee: PyNode | undefined, name: string): boolean {
  return callee?.type === "identifier" && /^(?:train|fit|optimi[sz]e|update|backprop)/.test(name);
}

/** Whether a node assigns to, deletes, or calls a changing method of its part. */
export function changesPart(node: PyNode, index: number): boolean {
  switch (node.type) {
    case "assignment":
    case "augmented_assignment":
      return index === 0;
    case "pattern_list":
    case "delete_statement":
      return true;
    case "call":
      return index === 0 && effectOf(node) === "changes";
    default:
      return false;
  }
}

/** Whether a part is an argument. */
export function passesPart({ type }: TreeNode, index: number): boolean {
  return (type === "call" && index > 0) || type === "keyword_argument" || type.endsWith("_splat");
}

/** Whether a definition gives an empty container, or a new object of a class. */
export function isEmptyValue(definition: PyNode): boolean {
  const value = assignmentIn(definition)?.value;
  if (!value) return false;
  if (/^(?:list|dictionary|set)$/.test(value.type)) return named(value).length === 0;
  const callee = value.type === "call" ? fieldOf(value, "function") : undefined;
  const last = callee ? (dotted(callee).split(".").at(-1) ?? "") : "";
  const isContainer = /^(?:list|dict|set|deque|defaultdict)$/.test(last);
  return /^[A-Z]/.test(last) || (isContainer && argumentsOf(value).length === 0);
}

/** Whether it waits: by itself, or as a loop, a comprehension or a `with`. */
export function awaits(node: PyNode): boolean {
  if (node.type === "await") return true;
  return (
    /^(?:for_statement|with_statement|for_in_clause)$/.test(node.type) && hasToken(node, "async")
  );
}
