/** @file What the thread that talks with an interpreter is told. */

export interface Interpreter {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ServiceRequest {
  readonly interpreter: Interpreter;
  /** JSON, on one line. */
  readonly input: string;
}
