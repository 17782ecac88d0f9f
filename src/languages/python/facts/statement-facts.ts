/** @file What is known of statements of Python. */
import type { RunMode } from "../../../format/index.ts";
import type {
  Definition,
  Effect,
  LogFacts,
  Parameter,
  Statement,
  Surroundings,
  Syntax,
} from "../../parsed-file.ts";
import { awaits, changesOthers, effectOf, isEmptyValue } from "./statement-effects.ts";
import { logsByName } from "./described-effects.ts";
import { importedNames } from "./imports.ts";
import type { PyNode } from "./syntax.ts";
import {
  argumentsOf,
  assignmentIn,
  callIn,
  definitionIn,
  dotted,
  fieldOf,
  namedChildren,
  stringIn,
} from "./syntax.ts";

/** Where a statement stands. */
interface Around {
  readonly owner: Syntax;
  readonly parent: Statement | null;
  readonly sdkLog: SdkLogs;
}

export function describeStatement(node: PyNode, around: Around): Statement {
  return new PythonStatement(node, around);
}

class PythonStatement implements Statement {
  readonly kind = "statement";
  readonly node: PyNode;
  readonly owner: Syntax;
  readonly parent: Statement | null;
  readonly isHoisted = false;
  readonly endsWithSemicolon = false;
  /** What is asked is executed apart by the SDK itself (`record/replay/probes.py`). */
  readonly value = undefined;
  readonly #sdkLog: SdkLogs;

  constructor(node: PyNode, { owner, parent, sdkLog }: Around) {
    this.node = node;
    this.owner = owner;
    this.parent = parent;
    this.#sdkLog = sdkLog;
  }

  get bare(): Statement {
    return this;
  }

  get isSimple(): boolean {
    return this.node.type === "expression_statement";
  }

  get isLogOnly(): boolean {
    return isLogOnly(this.node);
  }

  get isLog(): boolean {
    const call = callIn(this.node);
    const callee = call && fieldOf(call, "function");
    return this.#sdkLog(this.node) !== undefined || callee?.text === "print";
  }

  get isDeclaration(): boolean {
    const { type } = definitionIn(this.node) ?? this.node;
    return type === "class_definition" || type.includes("import");
  }

  /** What an `if` without `else`, or a `with`, guards. */
  get branch(): Syntax | undefined {
    const { node } = this;
    if (node.type === "with_statement") return fieldOf(node, "body");
    const isPlain = node.type === "if_statement" && !fieldOf(node, "alternative");
    return isPlain ? fieldOf(node, "consequence") : undefined;
  }

  /** Functions, imports, and names that are set alone. */
  get defines(): Definition | undefined {
    const { node } = this;
    const definition = definitionIn(node);
    if (definition) {
      return definition.type === "function_definition"
        ? { kind: "function", name: null }
        : undefined;
    }
    if (/^import(?:_from)?_statement$/.test(node.type)) return { kind: "import", name: null };
    const name = assignmentIn(node)?.name.text;
    return name === undefined ? undefined : { kind: "value", name };
  }

  get member(): string | undefined {
    const isInClass =
      this.parent && definitionIn(this.parent.node as PyNode)?.type === "class_definition";
    if (!isInClass) return undefined;
    const definition = definitionIn(this.node);
    return definition ? fieldOf(definition, "name")?.text : assignmentIn(this.node)?.name.text;
  }

  get parameters(): readonly Parameter[] | null | undefined {
    const made = functionIn(this.node);
    return made && parametersOf(made);
  }

  get isEmptyValue(): boolean {
    return isEmptyValue(this.node);
  }

  get effect(): Effect {
    return effectOf(this.node);
  }

  get leaves(): boolean {
    return leaves(this.node, false);
  }

  get changesOthers(): boolean {
    return changesOthers(this.node);
  }

  get needs(): Surroundings {
    const yields = holdsNode(this.node, ({ type }) => type === "yield");
    return {
      awaits: holdsNode(this.node, awaits),
      yields,
      hasThis: false,
      privateNames: new Set(),
    };
  }
}

/** The parameters of a function, if all of them are listed. */
function parametersOf(made: PyNode): Parameter[] | null {
  const parameters = fieldOf(made, "parameters");
  const list = parameters ? namedChildren(parameters) : [];
  if (list.some((one) => isSplat(one))) return null;
  const own = list.filter(({ type }) => !type.endsWith("_separator"));
  return own.map((one) => {
    const name = fieldOf(one, "name") ?? (one.type === "identifier" ? one : namedChildren(one)[0]);
    return {
      name: name?.type === "identifier" ? name.text : "",
      isNeeded: !/^(?:typed_)?default_parameter$/.test(one.type),
    };
  });
}

function isSplat(node: PyNode): boolean {
  if (node.type.endsWith("_splat_pattern")) return true;
  return node.type === "typed_parameter" && namedChildren(node).some(isSplat);
}

/** The function that a statement defines. */
function functionIn(statement: PyNode): PyNode | undefined {
  const definition = definitionIn(statement);
  if (definition) return definition.type === "function_definition" ? definition : undefined;
  const value = assignmentIn(statement)?.value;
  return value?.type === "lambda" ? value : undefined;
}

/** Whether a statement itself is or holds such a node, functions in it left out. */
function holdsNode(node: PyNode, is: (node: PyNode) => boolean): boolean {
  if (is(node)) return true;
  if (/^(?:function_definition|class_definition|lambda)$/.test(node.type)) return false;
  return namedChildren(node).some((child) => holdsNode(child, is));
}

const LOGGERS = /^(?:log|logger|logging|wandb|writer|mlflow|neptune|tqdm|console|run|self\.log)$/i;
const LOGGING =
  /^(?:log|warn|warning|error|info|debug|critical|exception|print|write|add_\w+|log_\w+)$/i;

/** Whether a statement logs, or decides whether to log, and does nothing else. */
export function isLogOnly(node: PyNode): boolean {
  const call = callIn(node);
  if (call) return isLogCall(call);
  switch (node.type) {
    case "if_statement":
    case "with_statement":
    case "elif_clause":
    case "else_clause": {
      const bodies = namedChildren(node).filter(({ type }) =>
        /^(?:block|el\w+_clause)$/.test(type),
      );
      return bodies.every(isLogOnly);
    }
    case "block":
      return namedChildren(node).every(isLogOnly);
    default:
      return false;
  }
}

function isLogCall(call: PyNode): boolean {
  const callee = fieldOf(call, "function");
  if (callee?.type === "identifier") return /^(?:print|pprint|log|record)$/.test(callee.text);
  if (callee?.type !== "attribute") return false;
  const [object, method] = [fieldOf(callee, "object"), fieldOf(callee, "attribute")];
  if (!object || !method) return false;
  if (logsByName(method.text)) return true;
  return LOGGING.test(method.text) && LOGGERS.test(dotted(object));
}

const SDK = "afterlog";

export type SdkLogs = (node: PyNode) => PyNode | undefined;

/** For a statement, the call of the SDK's `log` that it is. */
export function sdkLogsIn(program: PyNode): SdkLogs {
  const own = importedNames(program).filter(({ module }) => module === SDK);
  const paths = new Set(
    own.map(({ imported, local }) => (imported === "log" ? local : `${local}.log`)),
  );
  return (node) => {
    const call = callIn(node);
    const callee = call && fieldOf(call, "function");
    return callee && paths.has(dotted(callee)) ? call : undefined;
  };
}

/**
 * What the SDK executes as a probe is guarded by itself: a log statement, and a name that is set for
 * it. What a condition calls is not.
 */
export function logFacts(program: PyNode, mode: RunMode): LogFacts {
  const sdkLog = sdkLogsIn(program);
  return {
    keyOf: (node) => keyOf(node as PyNode, sdkLog, mode),
    holdsLog: (node) => sdkLog(node as PyNode) !== undefined || isLogOnly(node as PyNode),
    calledValues: () => [],
    callsBeside: (node) => callIn(node as PyNode) === undefined,
  };
}

function keyOf(node: PyNode, sdkLog: SdkLogs, { handsFree }: RunMode): string | undefined {
  const call = sdkLog(node);
  if (call) return stringIn(argumentsOf(call)[0]);
  const printed = handsFree && isLogOnly(node) ? callIn(node) : undefined;
  const words = printed ? textsIn(printed).join(" ").trim() : "";
  return words === "" ? undefined : JSON.stringify(words);
}

/** The texts that a call writes around its values. */
function textsIn(node: PyNode): string[] {
  if (node.type === "string_content") return [node.text.trim()];
  return namedChildren(node).flatMap(textsIn);
}

function leaves(node: PyNode, isInLoop: boolean): boolean {
  if (node.type === "return_statement") return true;
  if (/^(?:break|continue)_statement$/.test(node.type)) return !isInLoop;
  if (/^(?:function|class)_definition$|^lambda$/.test(node.type)) return false;
  const isLoop = isInLoop || /^(?:for|while)_statement$/.test(node.type);
  return namedChildren(node).some((child) => leaves(child, isLoop));
}
