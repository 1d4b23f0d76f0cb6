// The page of a suite: all tests with their verdicts, what these rest on, and links to the failures.

import type { Outcome, SuitePage } from "./data";
import { button, h, line, visible } from "./dom";
import { themeButton } from "./theme";

/** So many rows are in the document at a time. */
const PAGE = 200;

export function suitePage(page: SuitePage, app: HTMLElement): void {
  const { outcomes } = page;
  const verdicts = [...new Set(outcomes.map(({ verdict }) => verdict))];
  const state = { verdict: "", text: "", from: 0 };
  const body = h("tbody", {});
  const status = h("p", { class: "count", role: "status" });

  const field = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the tests", maxlength: 200 });
  field.addEventListener("input", () => {
    [state.text, state.from] = [field.value.toLowerCase(), 0];
    draw();
  });
  const counts = h("div", { class: "filters", role: "group", "aria-label": "Verdicts" });
  const filter = (verdict: string, words: string): HTMLButtonElement => {
    const made = button(words, `Show ${words}`, () => {
      [state.verdict, state.from] = [verdict, 0];
      counts.querySelectorAll("button").forEach((other) => other.setAttribute("aria-pressed", String(other === made)));
      draw();
    }, { "aria-pressed": String(verdict === ""), class: verdict.replace(" ", "-") });
    return made;
  };
  counts.append(filter("", `${outcomes.length} tests`));
  for (const verdict of verdicts) counts.append(filter(verdict, `${outcomes.filter((o) => o.verdict === verdict).length} ${verdict}`));
  const before = button("‹", "The tests before", () => turn(-PAGE), { "aria-label": "The tests before" });
  const after = button("›", "Further tests", () => turn(PAGE), { "aria-label": "Further tests" });
  const turn = (by: number): void => {
    state.from = Math.max(0, state.from + by);
    draw();
  };

  function draw(): void {
    const fits = ({ verdict, program, test }: Outcome): boolean =>
      (state.verdict === "" || verdict === state.verdict) && `${program} ${test}`.toLowerCase().includes(state.text);
    const all = outcomes.filter(fits);
    const part = all.slice(state.from, state.from + PAGE);
    body.replaceChildren(...part.map(row));
    before.disabled = state.from === 0;
    after.disabled = state.from + PAGE >= all.length;
    status.textContent = part.length === all.length ? `${all.length} shown` : `${state.from + 1} to ${state.from + part.length} of ${all.length}`;
  }

  document.title = line(page.title, 120);
  const heads = ["test", "verdict", "coverage", "executions", "time"].map((name) => h("th", { scope: "col" }, name));
  const assumed = page.assumed.length > 0 ? h("p", { class: "faint", dir: "ltr" }, `taken for granted: ${visible(page.assumed.join(" · "), 4000)}`) : null;
  app.replaceChildren(
    h(
      "main",
      { class: "suite" },
      h("header", {}, h("h1", { dir: "ltr" }, visible(page.title, 300))),
      h("div", { class: "toolbar" }, field, counts, before, after, themeButton()),
      status,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tests" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body)),
      assumed,
    ),
  );
  draw();
}

function row(outcome: Outcome): HTMLElement {
  const name = line(outcome.test, 200);
  const { verdict, because, failure } = outcome;
  const why = failure ?? because;
  return h(
    "tr",
    { class: verdict.replace(" ", "-") },
    h(
      "td",
      { dir: "ltr" },
      outcome.page !== undefined ? h("a", { href: outcome.page }, name) : name,
      h("div", { class: "faint" }, line(outcome.program, 200)),
    ),
    h("td", { dir: "ltr" }, h("b", {}, verdict), why !== undefined && h("div", { class: "faint" }, line(why, 300))),
    h("td", { dir: "ltr" }, visible(outcome.covered ?? "", 600)),
    h("td", { class: "n" }, outcome.executions.toLocaleString("en")),
    h("td", { class: "n" }, `${outcome.seconds.toFixed(1)} s`),
  );
}
