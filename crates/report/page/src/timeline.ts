// The swim lanes: a column per task, a row per event, arrows between them. Only what is in view is in the document.

import { type Edge, WORDS } from "./edges";
import { h, line, svg } from "./dom";
import type { Record } from "./data";
import type { Row } from "./rows";

/** So many rows beyond the visible ones are drawn, too. */
const MARGIN = 6;
/** Of more arrows in view only those of the selected event and the shortest are drawn. */
const MOST_ARROWS = 300;
/** Of more rows and lanes only the first are printed; the page says so. */
const MOST_PRINTED = { rows: 2000, lanes: 60 };
const GUTTER = 74;

export interface Look {
  rows: Row[];
  lanes: number[];
  edges: Edge[];
  selected: number;
  guilty: Set<number>;
  matches: Set<number>;
  zoom: number;
}

export interface Actions {
  select(at: number): void;
  open(row: Row): void;
  filterTask(task: number): void;
}

export class Timeline {
  readonly element = h("section", { class: "timeline", "aria-label": "Execution" });
  private readonly head = h("div", { class: "lanes" });
  private readonly list = h("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": "Steps, time downwards" });
  private readonly canvas = h("div", { class: "canvas" });
  private readonly lines = h("div", { class: "lifelines", "aria-hidden": "true" });
  private readonly arrows = svg("svg", { class: "arrows", "aria-hidden": "true" });
  private readonly scroller = h("div", { class: "scroller" });
  /** How much of the execution is printed; not shown on a screen. */
  private readonly printed = h("p", { class: "printed" });
  private look: Look | undefined;
  private rowOf = new Map<number, number>();
  private laneOf = new Map<number, number>();
  private whole = false;
  private pending = false;

  constructor(
    private readonly record: Record,
    private readonly actions: Actions,
  ) {
    this.canvas.append(this.lines, this.arrows, this.list);
    this.scroller.append(this.head, this.canvas);
    this.element.append(this.printed, this.scroller);
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.later()).observe(this.scroller);
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.head.addEventListener("click", (event) => {
      const lane = (event.target as Element).closest<HTMLElement>("[data-task]");
      if (lane) this.actions.filterTask(Number(lane.dataset["task"]));
    });
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  focus(): void {
    this.list.focus({ preventScroll: true });
  }

  show(look: Look): void {
    const before = this.look;
    this.look = look;
    if (before?.rows !== look.rows) {
      this.rowOf = new Map();
      look.rows.forEach((row, index) => {
        if (row.kind === "event") this.rowOf.set(row.at, index);
        else for (let at = row.from; at < row.to; at++) this.rowOf.set(at, index);
      });
    }
    if (before?.lanes !== look.lanes) this.laneOf = new Map(look.lanes.map((task, index) => [task, index]));
    this.draw();
  }

  /** Scrolls so that the selected event is in view, with some rows around it. */
  reveal(): void {
    const look = this.look;
    if (!look) return;
    const index = this.rowOf.get(look.selected);
    if (index === undefined) return;
    const { height, laneWidth } = this.sizes();
    const [top, room] = [index * height, this.scroller.clientHeight - this.head.offsetHeight];
    const keep = Math.min(3 * height, room / 3);
    if (top < this.scroller.scrollTop + keep) this.scroller.scrollTop = Math.max(0, top - keep);
    else if (top + height > this.scroller.scrollTop + room - keep) this.scroller.scrollTop = top + height - room + keep;
    const lane = this.laneOf.get(this.record.events[look.selected]?.task ?? -1);
    if (lane !== undefined) {
      const left = GUTTER + lane * laneWidth;
      if (left - GUTTER < this.scroller.scrollLeft) this.scroller.scrollLeft = left - GUTTER;
      else if (left + laneWidth > this.scroller.scrollLeft + this.scroller.clientWidth)
        this.scroller.scrollLeft = left + laneWidth - this.scroller.clientWidth;
    }
    this.draw();
  }

  private clicked(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    const found = this.look?.rows[Number(row?.dataset["row"])];
    if (!found) return;
    if (found.kind === "fold") this.actions.open(found);
    else this.actions.select(found.at);
  }

  private later(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private print(whole: boolean): void {
    this.whole = whole;
    this.draw();
  }

  private sizes(): { height: number; laneWidth: number; font: number } {
    const zoom = this.look?.zoom ?? 1;
    const lanes = Math.max(1, this.look?.lanes.length ?? 1);
    const room = (this.scroller.clientWidth - GUTTER) / lanes;
    return {
      height: Math.round(24 * zoom),
      laneWidth: Math.round(Math.min(Math.max(room - 1, 150 * zoom), 420 * Math.max(1, zoom))),
      font: Math.round(12.5 * zoom * 10) / 10,
    };
  }

  private draw(): void {
    const look = this.look;
    if (!look) return;
    const { height, laneWidth, font } = this.sizes();
    const width = GUTTER + look.lanes.length * laneWidth;
    const total = Math.max(Math.min(look.rows.length, this.whole ? MOST_PRINTED.rows : Infinity), 1) * height;
    this.canvas.style.height = `${total}px`;
    this.canvas.style.width = this.head.style.width = `${width}px`;
    // Where there is less than before, the browser scrolls back, but not yet.
    const { clientHeight, clientWidth } = this.scroller;
    const scrollTop = Math.min(this.scroller.scrollTop, Math.max(0, total + this.head.offsetHeight - clientHeight));
    const scrollLeft = Math.min(this.scroller.scrollLeft, Math.max(0, width - clientWidth));
    const first = this.whole ? 0 : Math.max(0, Math.floor(scrollTop / height) - MARGIN);
    const last = Math.min(look.rows.length, this.whole ? MOST_PRINTED.rows : Math.ceil((scrollTop + clientHeight) / height) + MARGIN);
    const firstLane = this.whole ? 0 : Math.max(0, Math.floor((scrollLeft - GUTTER) / laneWidth) - 1);
    const lastLane = Math.min(look.lanes.length, this.whole ? MOST_PRINTED.lanes : Math.ceil((scrollLeft + clientWidth) / laneWidth) + 1);
    this.element.style.setProperty("--row", `${height}px`);
    this.element.style.setProperty("--lane", `${laneWidth}px`);
    this.element.style.setProperty("--font", `${font}px`);

    this.head.replaceChildren(h("span", { class: "corner" }, "step"));
    this.lines.replaceChildren();
    for (let lane = firstLane; lane < lastLane; lane++) this.drawLane(look, lane, laneWidth);
    const rows: HTMLElement[] = [];
    for (let index = first; index < last; index++) {
      const row = look.rows[index];
      if (row) rows.push(this.row(look, row, index, laneWidth, height));
    }
    this.list.replaceChildren(...rows);
    const selected = this.rowOf.get(look.selected);
    if (selected !== undefined && selected >= first && selected < last) this.list.setAttribute("aria-activedescendant", `row-${selected}`);
    else this.list.removeAttribute("aria-activedescendant");
    const arrows = this.drawArrows(look, first, last, height, laneWidth, width, total);
    const n = (count: number): string => count.toLocaleString("en");
    const [rowCount, lanes] = [look.rows.length, look.lanes.length];
    // How wide the paper is, is not known here.
    const isWide = lastLane < lanes || width > clientWidth;
    const cut = [
      last < rowCount && `${n(last)} of ${n(rowCount)} rows, the first ones`,
      isWide && `of ${n(lanes)} tasks as many as fit the paper, at most ${n(MOST_PRINTED.lanes)}`,
      arrows.drawn < arrows.all && `${n(arrows.drawn)} of ${n(arrows.all)} arrows between them`,
    ].filter((words) => words !== false);
    this.printed.textContent = this.whole && cut.length > 0 ? `Printed: ${cut.join("; ")}. On a screen, the page has the rest.` : "";
  }

  private drawLane(look: Look, lane: number, laneWidth: number): void {
    const task = look.lanes[lane] as number;
    const { name, label } = this.record.tasks[task] ?? { name: "?" };
    const left = `${GUTTER + lane * laneWidth}px`;
    const title = label !== undefined && label !== name ? `${line(name, 60)} “${line(label, 60)}”` : line(name, 60);
    const head = h("button", { type: "button", class: "lane", "data-task": task, title: `Show only ${title} and others that are chosen`, dir: "ltr" }, title);
    head.style.left = left;
    this.head.append(head);
    const life = h("span", { class: name.includes("~") ? "life phantom" : "life" });
    life.style.left = left;
    this.lines.append(life);
  }

  private row(look: Look, row: Row, index: number, laneWidth: number, height: number): HTMLElement {
    const task = row.kind === "fold" ? row.task : (this.record.events[row.at]?.task ?? 0);
    const lane = this.laneOf.get(task) ?? 0;
    const cell = h("span", { class: "cell", dir: "ltr" });
    cell.style.left = `${GUTTER + lane * laneWidth}px`;
    const classes = ["row"];
    let number = "";
    if (row.kind === "fold") {
      classes.push("fold");
      const n = row.to - row.from;
      cell.textContent = `⋯ ${n.toLocaleString("en")} events that no other task takes notice of`;
    } else {
      const event = this.record.events[row.at];
      if (!event) return h("div");
      number = event.step === undefined ? "·" : String(event.step + 1);
      if (event.preempts) number = `◆ ${number}`;
      const guilty = look.guilty.has(row.at);
      if (guilty) number = `✗ ${number}`;
      if (guilty) classes.push("guilty");
      if (event.preempts) classes.push("preempts");
      if (event.step === undefined) classes.push("no-step");
      if (look.matches.has(row.at)) classes.push("match");
      if (row.at === look.selected) classes.push("selected");
      cell.append(h("b", {}, line(event.operation, 160)));
      if (event.object !== undefined) cell.append(h("span", { class: "object" }, ` ${line(event.object, 80)}`));
      if (event.result) cell.append(h("span", { class: "result" }, ` ${line(event.result, 160)}`));
    }
    const element = h(
      "div",
      {
        class: classes.join(" "),
        role: "option",
        id: `row-${index}`,
        "data-row": index,
        "aria-selected": row.kind === "event" && row.at === look.selected ? "true" : "false",
        "aria-setsize": look.rows.length,
        "aria-posinset": index + 1,
      },
      h("span", { class: "number" }, number),
      h("span", { class: "spoken" }, ` ${line(this.record.tasks[task]?.name ?? "?", 60)} `),
      cell,
    );
    element.style.top = `${index * height}px`;
    return element;
  }

  private drawArrows(look: Look, first: number, last: number, height: number, laneWidth: number, width: number, total: number): { drawn: number; all: number } {
    const places: { edge: Edge; from: number; to: number; own: boolean }[] = [];
    for (const edge of look.edges) {
      const [from, to] = [this.rowOf.get(edge.from), this.rowOf.get(edge.to)];
      if (from === undefined || to === undefined || from === to) continue;
      const own = edge.from === look.selected || edge.to === look.selected;
      const touches = (from >= first && from < last) || (to >= first && to < last);
      const crosses = from < last && to >= first;
      if (touches || (own && crosses)) places.push({ edge, from, to, own });
    }
    places.sort((a, b) => Number(b.own) - Number(a.own) || a.to - a.from - (b.to - b.from));
    const drawn = places.slice(0, MOST_ARROWS).reverse();
    this.arrows.setAttribute("width", String(width));
    this.arrows.setAttribute("height", String(total));
    this.arrows.replaceChildren(markers());
    for (const { edge, from, to, own } of drawn) {
      const lane = (at: number): number => this.laneOf.get(this.record.events[at]?.task ?? -1) ?? 0;
      const x = (at: number): number => GUTTER + lane(at) * laneWidth + 9;
      const [x1, y1, x2, y2] = [x(edge.from), (from + 0.5) * height, x(edge.to), (to + 0.5) * height];
      const bend = Math.min((y2 - y1) / 2, 3 * height);
      const side = x2 >= x1 ? -1 : 1;
      const path = svg("path", {
        d: `M${x1} ${y1 + 5} C${x1} ${y1 + bend} ${x2 + side * 40} ${y2 - 1} ${x2 + side * 6} ${y2}`,
        class: `${edge.why}${own ? " own" : ""}`,
        "marker-end": `url(#head-${edge.why})`,
      });
      this.arrows.append(path);
    }
    return { drawn: drawn.length, all: places.length };
  }
}

function markers(): SVGDefsElement {
  const head = (why: string): SVGMarkerElement =>
    svg(
      "marker",
      { id: `head-${why}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse", class: why },
      svg("path", { d: "M0 0 L8 4 L0 8 z" }),
    );
  return svg("defs", {}, ...Object.keys(WORDS).map(head));
}
