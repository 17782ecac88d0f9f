import "./look.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { followTheme } from "./lib/theme.ts";

followTheme();
mount(App, { target: document.getElementById("page")! });
