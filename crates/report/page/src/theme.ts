// Light and dark: as the system has it, until the reader chooses.

import { button } from "./dom";

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const dark = (): boolean =>
    root.dataset["theme"] !== undefined ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return button("Light/dark", "Light or dark", () => {
    root.dataset["theme"] = dark() ? "light" : "dark";
  });
}
