// The page of one failure: what went wrong, the timeline, the panels, and the keys that step through them.

import type { FailurePage } from "./data";
import { button, h, line, path, visible } from "./dom";
import { edges as arrowsOf } from "./edges";
import { Panels } from "./panels";
import { type Row, chosen, objects, rows, sharing } from "./rows";
import { Timeline } from "./timeline";
import { themeButton } from "./theme";

const KEYS: [string, string][] = [
  ["↑ ↓", "the event before, the next event"],
  ["← →", "the same of this task"],
  ["p n", "the conflict before, the next conflict"],
  ["Home End", "the first, the last event"],
  ["/", "search; Enter goes to the next match, Escape back"],
  ["f", "fold or unfold stretches that share nothing"],
  ["+ − 0", "zoom"],
  ["?", "these keys"],
];

const MOST_OPTIONS = 300;

export function failurePage(page: FailurePage, app: HTMLElement): void {
  const { record } = page.trace.failure;
  const guilty = new Set(page.guilty);
  const edges = arrowsOf(record);
  const shares = sharing(record, edges, guilty);
  const conflicts = [...new Set(edges.filter(({ why }) => why !== "spawns").flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const state = {
    selected: page.guilty.at(-1) ?? Math.max(0, record.events.length - 1),
    folded: true,
    opened: new Set<number>(),
    task: undefined as number | undefined,
    object: undefined as string | undefined,
    query: "",
    matches: new Set<number>(),
    zoom: 1,
  };
  let shown: Row[] = [];
  let lanes: number[] = [];
  let visibleEvents: number[] = [];

  const timeline = new Timeline(record, {
    select: (at) => select(at),
    open: (row) => {
      if (row.kind !== "fold") return;
      state.opened.add(row.from);
      arrange();
      select(row.from);
    },
    filterTask: (task) => {
      state.task = state.task === task ? undefined : task;
      taskChoice.value = state.task === undefined ? "" : String(state.task);
      settle();
    },
  });
  const panels = new Panels(page, edges, (at) => select(at));
  const count = h("span", { class: "count", role: "status" });

  function arrange(): void {
    const only = chosen(record, edges, state.task, state.object);
    shown = rows(record, shares, { folded: state.folded, opened: state.opened, only });
    const used = new Set(shown.map((row) => (row.kind === "fold" ? row.task : (record.events[row.at]?.task ?? 0))));
    lanes = record.tasks.map((_, task) => task).filter((task) => !only || used.has(task));
    visibleEvents = shown.map((row) => (row.kind === "fold" ? row.from : row.at));
    const total = record.events.length.toLocaleString("en");
    count.textContent = only ? `${only.size.toLocaleString("en")} of ${total} events` : `${total} events`;
  }

  /** Another filter: what was selected stays so if it is still shown, else the next one that is. */
  function settle(): void {
    arrange();
    if (visibleEvents.length === 0) return draw();
    select(visibleEvents.find((at) => at >= state.selected) ?? visibleEvents.at(-1) ?? 0);
  }

  function draw(): void {
    timeline.show({ rows: shown, lanes, edges, selected: state.selected, guilty, matches: state.matches, zoom: state.zoom });
  }

  function select(at: number): void {
    const hidden = shown.find((row) => row.kind === "fold" && row.from <= at && at < row.to);
    if (hidden?.kind === "fold") {
      state.opened.add(hidden.from);
      arrange();
    }
    const isShown = shown.some((row) => row.kind === "event" && row.at === at);
    if (!isShown && (state.task !== undefined || state.object !== undefined) && record.events[at]) {
      [state.task, state.object, taskChoice.value, objectChoice.value] = [undefined, undefined, "", ""];
      arrange();
    }
    state.selected = at;
    draw();
    timeline.reveal();
    panels.show(at);
  }

  const among = (events: number[], forward: boolean): void => {
    const found = forward ? events.find((at) => at > state.selected) : events.findLast((at) => at < state.selected);
    if (found !== undefined) select(found);
  };
  const ofTask = (): number[] => {
    const task = record.events[state.selected]?.task;
    return visibleEvents.filter((at) => record.events[at]?.task === task);
  };

  function search(text: string): void {
    state.query = text.toLowerCase();
    state.matches = new Set();
    if (state.query !== "") {
      record.events.forEach((event, at) => {
        const { operation, object = "", result = "", place, task } = event;
        const whole = `${operation} ${object} ${result} ${record.tasks[task]?.name ?? ""} ${place ? `${place.file}:${place.line}` : ""}`;
        if (whole.toLowerCase().includes(state.query)) state.matches.add(at);
      });
    }
    found.textContent = state.query === "" ? "" : `${state.matches.size.toLocaleString("en")} found`;
    draw();
  }

  const found = h("span", { class: "count", role: "status" });
  const field = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the events", maxlength: 200 });
  field.addEventListener("input", () => search(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const all = [...state.matches];
      const next = all.find((at) => at > state.selected) ?? all[0];
      if (next !== undefined) select(next);
    } else if (event.key === "Escape") timeline.focus();
    else return;
    event.preventDefault();
  });

  const taskChoice = choice("All tasks", "Only one task and what it meets", record.tasks.map(({ name }, task) => [String(task), line(name, 60)]));
  taskChoice.addEventListener("change", () => {
    state.task = taskChoice.value === "" ? undefined : Number(taskChoice.value);
    settle();
  });
  const names = [...new Set(record.events.flatMap(objects))];
  const objectChoice = choice("All objects", "Only the events of one object", names.map((name, n) => [String(n), line(name, 80)]));
  objectChoice.addEventListener("change", () => {
    state.object = objectChoice.value === "" ? undefined : names[Number(objectChoice.value)];
    settle();
  });

  const fold = button("Fold", "Fold stretches that share nothing (f)", () => toggleFold(), { "aria-pressed": "true" });
  function toggleFold(): void {
    state.folded = !state.folded;
    state.opened.clear();
    fold.setAttribute("aria-pressed", String(state.folded));
    arrange();
    select(state.selected);
  }
  const zoom = (factor: number): void => {
    state.zoom = factor === 0 ? 1 : Math.min(2.5, Math.max(0.5, state.zoom * factor));
    draw();
    timeline.reveal();
  };
  const help = h(
    "dialog",
    { "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl", {}, ...KEYS.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])),
    button("Close", "Close", () => help.close()),
  );
  const toolbar = h(
    "div",
    { class: "toolbar", role: "toolbar", "aria-label": "Timeline" },
    field,
    found,
    taskChoice,
    objectChoice,
    fold,
    button("‹ conflict", "The conflict before (p)", () => among(conflicts, false)),
    button("conflict ›", "The next conflict (n)", () => among(conflicts, true)),
    button("−", "Smaller (−)", () => zoom(1 / 1.2), { "aria-label": "Smaller" }),
    button("+", "Larger (+)", () => zoom(1.2), { "aria-label": "Larger" }),
    button("Keys", "The keys (?)", () => help.showModal()),
    themeButton(),
    count,
  );

  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, dialog, .code")) return;
    const actions: { [key: string]: () => void } = {
      ArrowDown: () => among(visibleEvents, true),
      ArrowUp: () => among(visibleEvents, false),
      ArrowRight: () => among(ofTask(), true),
      ArrowLeft: () => among(ofTask(), false),
      Home: () => visibleEvents[0] !== undefined && select(visibleEvents[0]),
      End: () => select(visibleEvents.at(-1) ?? state.selected),
      n: () => among(conflicts, true),
      p: () => among(conflicts, false),
      f: toggleFold,
      "+": () => zoom(1.2),
      "-": () => zoom(1 / 1.2),
      "0": () => zoom(0),
      "/": () => field.focus(),
      "?": () => help.showModal(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  document.title = line(page.title, 120);
  const main = h("main", { class: "failure" }, headline(page, (at) => select(at)), toolbar, h("div", { class: "split" }, timeline.element, panels.element), legend(), notes(page));
  app.replaceChildren(main, help);
  arrange();
  const wanted = /^#step-(\d+)$/.exec(location.hash);
  const step = wanted ? record.events.findIndex((event) => event.step === Number(wanted[1]) - 1) : -1;
  select(step >= 0 ? step : state.selected);
  timeline.focus();
}

function choice(all: string, title: string, options: [string, string][]): HTMLSelectElement {
  const shown = options.slice(0, MOST_OPTIONS).map(([value, text]) => h("option", { value }, text));
  return h("select", { "aria-label": title, title }, h("option", { value: "" }, all), ...shown);
}

function headline(page: FailurePage, select: (at: number) => void): HTMLElement {
  const { record } = page.trace.failure;
  const list = h("ul", { class: "facts" });
  for (const fact of page.facts.slice(0, 50)) {
    const { place } = fact;
    const task = record.tasks.findIndex(({ name }) => name === fact.task);
    const at = place
      ? record.events.findLastIndex(
          (event) => (task < 0 || event.task === task) && event.place?.file === place.file && event.place.line === place.line,
        )
      : -1;
    const where = place && `${path(place.file)}:${place.line}`;
    const link = where && at >= 0 ? button(where, "Select the event", () => select(at), { class: "link" }) : where;
    list.append(h("li", { dir: "ltr" }, `${visible(fact.text, 1000)} `, link));
  }
  return h(
    "header",
    {},
    page.suite !== undefined && h("p", {}, h("a", { href: page.suite }, "‹ all tests")),
    h("h1", { dir: "ltr" }, visible(page.title, 300)),
    h("pre", { class: "message", dir: "ltr", tabindex: 0, role: "group", "aria-label": "Message" }, visible(page.message, 20000)),
    page.facts.length > 0 && list,
  );
}

function notes(page: FailurePage): HTMLElement {
  const list = h("dl", { class: "notes" });
  for (const { what, text, copied } of page.notes) {
    list.append(h("dt", {}, what), h("dd", { dir: "ltr" }, copied ? h("code", {}, visible(text, 4000)) : visible(text, 4000)));
  }
  const output = page.output
    ? h("details", { class: "output" }, h("summary", {}, "Output of this execution"), h("pre", { dir: "ltr" }, visible(page.output, 100000)))
    : null;
  return h("footer", {}, list, output);
}

function legend(): HTMLElement {
  const entries: [string, string][] = [
    ["reads", "reads from"],
    ["message", "message"],
    ["wakes", "wakes up"],
    ["spawns", "starts"],
    ["order", "conflict, in this order, which nothing else implies"],
  ];
  const marks = "◆ preempts · ✗ it went wrong here · a dot instead of a number: no scheduling point";
  return h(
    "p",
    { class: "legend" },
    ...entries.flatMap(([why, words]) => [h("span", { class: `key ${why}`, "aria-hidden": "true" }), h("span", {}, words)]),
    h("span", {}, marks),
  );
}
