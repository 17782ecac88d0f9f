/** Source languages: what the rest of the engine needs to know of them. */

/** URL of the module hooks that load TypeScript on Node 20; for `module.register`. */
export const TYPESCRIPT_HOOKS: string = new URL("./typescript/hooks.js", import.meta.url).href;
