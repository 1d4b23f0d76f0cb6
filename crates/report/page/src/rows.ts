// The rows of the timeline: events, and folded stretches in which one task does what no other task takes notice of.
//
// Only events are folded that have no arrow, enable no other task, and are not where it went wrong.

import type { Edge } from "./edges";
import type { Event, Record } from "./data";

export type Row = { kind: "event"; at: number } | { kind: "fold"; from: number; to: number; task: number };

/** Shorter stretches stay as they are. */
const SHORTEST = 4;

export interface Filter {
  folded: boolean;
  /** Stretches that were opened, by their first event. */
  opened: Set<number>;
  /** Only these events; undefined for all. */
  only: Set<number> | undefined;
}

/** The objects of an event: the one that it names, and the lock that it takes or gives back beside it. */
export function objects(event: Event): string[] {
  const both = [event.object, event.lock?.lock].filter((name): name is string => name !== undefined);
  return [...new Set(both)];
}

/** The events of a task and those that they have an arrow with, or the events of an object; undefined for all. */
export function chosen(record: Record, edges: Edge[], task: number | undefined, object: string | undefined): Set<number> | undefined {
  if (task === undefined && object === undefined) return undefined;
  const events = new Set<number>();
  const fits = (event: Event): boolean =>
    (task === undefined || event.task === task) && (object === undefined || objects(event).includes(object));
  record.events.forEach((event, at) => fits(event) && events.add(at));
  if (task !== undefined && object === undefined) {
    for (const { from, to } of edges) {
      if (record.events[from]?.task === task || record.events[to]?.task === task) events.add(from).add(to);
    }
  }
  return events;
}

/** Which events share something with other tasks. */
export function sharing(record: Record, edges: Edge[], guilty: Set<number>): boolean[] {
  const { events } = record;
  const shares = events.map(
    (event, at) =>
      guilty.has(at) ||
      event.preempts === true ||
      event.spawns !== undefined ||
      (event.mailboxes ?? []).some((box) => box.task !== event.task) ||
      [...(event.enables ?? []), ...(event.disables ?? [])].some((task) => task !== event.task),
  );
  for (const { from, to } of edges) shares[from] = shares[to] = true;
  // The last event of each task says how it ended.
  const last = new Map<number, number>();
  events.forEach((event, at) => last.set(event.task, at));
  last.forEach((at) => (shares[at] = true));
  return shares;
}

export function rows(record: Record, shares: boolean[], filter: Filter): Row[] {
  const all: Row[] = [];
  const shown = (at: number): boolean => !filter.only || filter.only.has(at);
  let at = 0;
  const { events } = record;
  while (at < events.length) {
    const event = events[at] as Event;
    if (!shown(at)) {
      at += 1;
      continue;
    }
    let end = at;
    if (filter.folded && !filter.opened.has(at)) {
      while (end < events.length && !shares[end] && events[end]?.task === event.task && shown(end)) end += 1;
    }
    if (end - at >= SHORTEST) {
      all.push({ kind: "fold", from: at, to: end, task: event.task });
      at = end;
    } else {
      const stop = Math.max(end, at + 1);
      while (at < stop) all.push({ kind: "event", at: at++ });
    }
  }
  return all;
}
