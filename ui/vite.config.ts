import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    // Nothing is inlined: the page's policy lets it load its own files, and no other.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
