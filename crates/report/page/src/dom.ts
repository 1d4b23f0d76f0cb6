// Makes elements. Text goes into the page through `textContent` alone, so that no name or message is ever markup.

type Child = Node | string | null | undefined | false;
type Attributes = { [name: string]: string | number | boolean | undefined };

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

/** A button that does something. */
export function button(label: string, title: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = h("button", { type: "button", title, ...attributes }, label);
  made.addEventListener("click", action);
  return made;
}

// Control characters, line separators, and marks that reorder or hide text.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** The text with invisible characters as escapes, at most so long. */
export function visible(text: string, most = 2000): string {
  const short = text.length > most ? `${text.slice(0, most)}… (${(text.length - most).toLocaleString("en")} more characters)` : text;
  return short.replace(INVISIBLE, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same in one line. */
export function line(text: string, most = 200): string {
  const whole = visible(text.slice(0, 2 * most).replace(/[\t\n\r]+/g, " "), most);
  return text.length > 2 * most && whole.length < most ? `${whole}…` : whole;
}

/** The end of a path, where that is enough to know it. */
export function path(file: string): string {
  const parts = file.split("/");
  return line(file.length > 48 && parts.length > 3 ? `…/${parts.slice(-3).join("/")}` : file, 200);
}
