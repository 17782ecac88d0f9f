/** @file Where the modules are that let Node 20 load TypeScript. */

/**
 * URLs of the modules that let Node 20 load TypeScript: hooks for `module.register`, and one whose
 * `installRequire` does it for CommonJS.
 */
export const TYPESCRIPT_LOADERS: { readonly hooks: string; readonly require: string } = {
  hooks: new URL("./import-hooks.js", import.meta.url).href,
  require: new URL("./require-hook.js", import.meta.url).href,
};
