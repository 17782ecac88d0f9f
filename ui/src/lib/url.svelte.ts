/** What is shown is in the address: reloading shows the same, and Back is undo. */

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

let place: Place = $state.raw(read());

addEventListener("popstate", () => (place = read()));

function read(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export function currentPath(): string {
  return place.path;
}

/** A parameter of the address; undefined if it is not there. */
export function param(name: string): string | undefined {
  return place.query.get(name) ?? undefined;
}

/** Goes somewhere else. */
export function go(address: string): void {
  history.pushState(null, "", address);
  place = read();
}

/**
 * Changes parameters of the place where one is; undefined takes one away. What is typed replaces, what is
 * clicked can be undone.
 */
export function setParams(
  changes: { readonly [name: string]: string | undefined },
  how: "typed" | "clicked",
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.size === 0 ? "" : `?${query}`;
  if (text === location.search) return;
  const address = location.pathname + text;
  if (how === "typed") history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place = read();
}

/** Links of the page change what is shown, and load nothing. */
export function followLinks(event: MouseEvent): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, target } = event;
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.target !== "") return;
  event.preventDefault();
  if (link.href !== location.href) go(link.pathname + link.search);
}
