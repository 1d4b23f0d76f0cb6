// The panels beside the timeline: the source of the selected event, what else could run there, and the state of the program.
//
// Each shows only what the trace says, and says so where it does not.

import type { Event, FailurePage, Place, Source } from "./data";
import { button, h, line, path, visible } from "./dom";
import { type Edge, WORDS, nextEvents } from "./edges";
import { States } from "./state";

const AROUND = 5;
const MOST = 40;

export class Panels {
  readonly element = h("aside", { class: "panels", "aria-label": "The selected step" });
  private readonly states: States;
  private readonly next: (task: number, at: number) => number | undefined;
  private readonly sources: Map<string, Source[]> = new Map();

  constructor(
    private readonly page: FailurePage,
    private readonly edges: Edge[],
    private readonly select: (at: number) => void,
  ) {
    const { record } = page.trace.failure;
    this.states = new States(record);
    this.next = nextEvents(record.events, record.tasks.length);
    for (const source of page.sources) this.sources.set(source.file, [...(this.sources.get(source.file) ?? []), source]);
  }

  show(at: number): void {
    const { record } = this.page.trace.failure;
    const event = record.events[at];
    if (!event) {
      this.element.replaceChildren(panel("Nothing happened", h("p", { class: "faint" }, "The trace has no events.")));
      return;
    }
    this.element.replaceChildren(this.step(event, at), this.source(event, at), this.others(at), this.state(at));
  }

  private task(task: number): string {
    const { name, label } = this.page.trace.failure.record.tasks[task] ?? { name: "?" };
    return label !== undefined && label !== name ? `${line(name, 60)} “${line(label, 60)}”` : line(name, 60);
  }

  private number(at: number): string {
    const step = this.page.trace.failure.record.events[at]?.step;
    return step === undefined ? "an event that is no step" : `step ${step + 1}`;
  }

  private link(at: number, words = this.number(at)): HTMLButtonElement {
    return button(words, "Select it", () => this.select(at), { class: "link" });
  }

  private step(event: Event, at: number): HTMLElement {
    const what = [event.operation, event.object ?? ""].join(" ");
    const rows: HTMLElement[] = [h("p", { class: "what", dir: "ltr" }, `${this.task(event.task)}: ${line(what, 400)}`)];
    if (event.result) rows.push(h("pre", { class: "result", dir: "ltr" }, visible(event.result, 4000)));
    if (event.preempts) rows.push(h("p", {}, "◆ It preempts: the task before could have gone on."));
    const relations = this.edges.filter(({ from, to }) => from === at || to === at);
    const list = h("ul", { class: "relations" });
    for (const edge of relations.slice(0, MOST)) {
      const other = edge.from === at ? edge.to : edge.from;
      const words = edge.to === at ? WORDS[edge.why].to : WORDS[edge.why].from;
      const task = this.page.trace.failure.record.events[other]?.task ?? 0;
      list.append(h("li", { class: edge.why }, `${words} `, this.link(other), ` of ${this.task(task)}`));
    }
    if (relations.length > 0) rows.push(list);
    return panel(capital(this.number(at)), ...rows, more(relations.length));
  }

  private source(event: Event, at: number): HTMLElement {
    const { place, why } = this.place(event, at);
    if (!place) return panel("Source", h("p", { class: "faint" }, "This event has no place in the source."));
    const where = `${path(place.file)}:${place.line}`;
    const parts: HTMLElement[] = [];
    if (why !== undefined) parts.push(h("p", { class: "faint" }, why));
    const source = this.sources.get(place.file)?.find(({ first, lines }) => place.line >= first && place.line < first + lines.length);
    if (source) parts.push(this.quote(source, place, event.task, at));
    else parts.push(h("p", { class: "faint" }, "The file was not found when this page was written."));
    if (event.caller && event.place) {
      const inner = `${line(event.caller.function, 200)}, which does it at ${path(event.place.file)}:${event.place.line}`;
      parts.push(h("p", { class: "faint", dir: "ltr" }, inner));
    }
    return panel("Source", h("p", { class: "where", dir: "ltr", title: line(place.file, 1000) }, where), ...parts);
  }

  /** Where an event is; if that is not known, where its task was before, or what the failure says. */
  private place(event: Event, at: number): { place?: Place; why?: string } {
    const own = event.caller?.place ?? event.place;
    if (own) return { place: own };
    const { events } = this.page.trace.failure.record;
    const told = this.page.facts.find(({ place }) => place)?.place;
    if (at === events.length - 1 && told) return { place: told, why: "The event itself has no place; the failure names this one." };
    const before = this.states.before(at).last.get(event.task);
    const last = before === undefined ? undefined : (events[before]?.caller?.place ?? events[before]?.place);
    return last ? { place: last, why: "This event has no place; its task was here before." } : {};
  }

  /** The lines around a place, with the other tasks that were last seen there. */
  private quote(source: Source, place: Place, task: number, at: number): HTMLElement {
    const others = new Map<number, string[]>();
    const { events } = this.page.trace.failure.record;
    this.states.before(at).last.forEach((last, other) => {
      const there = events[last]?.caller?.place ?? events[last]?.place;
      if (other === task || there?.file !== place.file) return;
      others.set(there.line, [...(others.get(there.line) ?? []), this.task(other)]);
    });
    const from = Math.max(source.first, place.line - AROUND);
    const to = Math.min(source.first + source.lines.length - 1, place.line + AROUND);
    const code = h("div", { class: "code", dir: "ltr", role: "group", "aria-label": "Source lines", tabindex: 0 });
    for (let n = from; n <= to; n++) {
      const here = others.get(n);
      const chips = here ? `◂ ${here.slice(0, 3).join(", ")}${here.length > 3 ? ` and ${here.length - 3} more` : ""}` : "";
      code.append(
        h(
          "div",
          { class: n === place.line ? "line here" : here ? "line there" : "line" },
          h("span", { class: "n" }, String(n)),
          h("span", { class: "t" }, visible(source.lines[n - source.first] ?? "", 400)),
          chips && h("span", { class: "chip" }, chips),
        ),
      );
    }
    return code;
  }

  private others(at: number): HTMLElement {
    const { record } = this.page.trace.failure;
    const { enabled, last } = this.states.before(at);
    const title = "What else could run here";
    const step = record.events[at]?.step;
    if (!enabled) return panel(title, h("p", { class: "faint" }, "This trace does not say which tasks were enabled."));
    if (step === undefined)
      return panel(title, h("p", { class: "faint" }, "This event is no scheduling point: it belongs to the step before it."));
    if (record.events[at]?.by_itself)
      return panel(title, h("p", { class: "faint" }, "There was no choice: this step happened by itself as soon as it could."));
    const own = record.events[at]?.task;
    const entry = (task: number, can: boolean): HTMLElement => {
      const next = task === own ? at : this.next(task, at);
      const event = next === undefined ? undefined : record.events[next];
      const words = event
        ? line(`${event.operation} ${event.object ?? ""}`, 160)
        : can
          ? "(an operation that it did not come to in this execution)"
          : "(it took no further step)";
      return h(
        "li",
        { class: task === own ? "chosen" : can ? "enabled" : "blocked", dir: "ltr" },
        task === own ? "▸ " : can ? "○ " : "‖ ",
        h("b", {}, this.task(task)),
        ` ${words} `,
        next !== undefined && task !== own && this.link(next),
      );
    };
    const can = [...enabled].sort((a, b) => Number(b === own) - Number(a === own) || a - b);
    if (own !== undefined && !enabled.has(own)) can.unshift(own);
    const list = h("ul", { class: "tasks" }, ...can.slice(0, MOST).map((task) => entry(task, true)));
    // A task that has begun, has more to do and is not enabled waits.
    const waits = [...last.keys()].filter((task) => !can.includes(task) && this.next(task, at) !== undefined).sort((a, b) => a - b);
    const blocked = h("ul", { class: "tasks" }, ...waits.slice(0, MOST).map((task) => entry(task, false)));
    return panel(
      title,
      can.length === 1 ? h("p", { class: "faint" }, "Nothing else: this task alone was enabled.") : null,
      list,
      more(can.length),
      waits.length > 0 ? h("p", { class: "sub" }, "Not enabled") : null,
      waits.length > 0 ? blocked : null,
      more(waits.length),
    );
  }

  private state(at: number): HTMLElement {
    const state = this.states.before(at);
    const tables: (HTMLElement | null)[] = [];
    const held: HTMLElement[] = [];
    state.locks.forEach((holders, lock) =>
      holders.forEach(({ shared, since }, task) =>
        held.push(row(line(lock, 120), `${shared ? "shared by" : "held by"} ${this.task(task)} since `, this.link(since))),
      ),
    );
    if (held.length > 0) tables.push(table("Locks", held));
    const values = [...state.values].sort(([, a], [, b]) => b.at - a.at);
    if (values.length > 0) {
      tables.push(
        table(
          "Values",
          values.map(([object, { text, at: since }]) => row(line(object, 120), `${visible(text, 200)} since `, this.link(since))),
        ),
      );
    }
    const boxes = [...state.mailboxes.values()].filter(({ messages }) => messages.length > 0);
    if (boxes.length > 0) {
      const shown = boxes.map(({ task, messages, more }) => {
        const all = messages.map((message) => line(message, 300)).join("\n") + (more ? `\n… and ${more} more` : "");
        return row(this.task(task), h("pre", {}, all));
      });
      tables.push(table("Mailboxes", shown));
    }
    if (tables.length === 0) tables.push(h("p", { class: "faint" }, "No lock is held, and no value or message is known from the steps before."));
    return panel("State before it", ...tables);
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function panel(title: string, ...children: (Node | string | null)[]): HTMLElement {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

function more(count: number): HTMLElement | null {
  return count > MOST ? h("p", { class: "faint" }, `and ${count - MOST} more`) : null;
}

function row(name: string, ...value: (Node | string)[]): HTMLElement {
  return h("div", { class: "entry", dir: "ltr" }, h("span", { class: "object" }, name), h("span", {}, ...value));
}

function table(title: string, rows: HTMLElement[]): HTMLElement {
  return h("div", { class: "table" }, h("p", { class: "sub" }, title), ...rows.slice(0, MOST), more(rows.length));
}
