// The arrows: from which event to which, and why. Every arrow is a fact of the trace; between two events there is one.

import type { Event, Record } from "./data";

export type Why = "reads" | "message" | "wakes" | "spawns" | "order";

/** What an arrow says of the event that it leads to, and of the one that it begins at. */
export const WORDS: { [why in Why]: { to: string; from: string } } = {
  reads: { to: "reads from", from: "is read by" },
  message: { to: "receives the message of", from: "its message is received by" },
  wakes: { to: "was woken up by", from: "wakes up" },
  spawns: { to: "was started by", from: "starts" },
  order: { to: "conflict: comes after", from: "conflict: comes before" },
};

export interface Edge {
  from: number;
  to: number;
  why: Why;
}

/** All arrows, by the event that they lead to. */
export function edges(record: Record): Edge[] {
  const { events, tasks } = record;
  const next = nextEvents(events, tasks.length);
  const found = new Map<string, Edge>();
  // The first reason that is told wins.
  const add = (from: number | undefined, to: number | undefined, why: Why): void => {
    if (from === undefined || to === undefined || from >= to) return;
    const [a, b] = [events[from], events[to]];
    const key = `${from}:${to}`;
    if (!a || !b || a.task === b.task || found.has(key)) return;
    found.set(key, { from, to, why });
  };
  events.forEach((event, at) => add(event.reads_from, at, "reads"));
  messages(events).forEach(([from, to]) => add(from, to, "message"));
  const begun = new Set<number>(record.enabled ?? []);
  events.forEach((event, at) => {
    const created = new Set<number>();
    if (event.spawns !== undefined) {
      created.add(event.spawns);
      begun.add(event.spawns);
      add(at, next(event.spawns, at), "spawns");
    }
    for (const task of event.enables ?? []) {
      if (begun.has(task) && !created.has(task)) add(at, next(task, at), "wakes");
      begun.add(task);
    }
  });
  events.forEach((event, at) => event.after?.forEach((from) => add(from, at, "order")));
  return [...found.values()].sort((a, b) => a.to - b.to || a.from - b.from);
}

/** Answers which event of a task is the first one after another event. */
export function nextEvents(events: Event[], tasks: number): (task: number, at: number) => number | undefined {
  const of: number[][] = Array.from({ length: tasks }, () => []);
  events.forEach((event, at) => of[event.task]?.push(at));
  return (task, at) => {
    const mine = of[task];
    if (!mine) return undefined;
    let [low, high] = [0, mine.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((mine[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return mine[low];
  };
}

/** Which arrival each receive consumes: the first equal message, as a selective receive takes it. */
function messages(events: Event[]): [number, number][] {
  const pairs: [number, number][] = [];
  const boxes = new Map<number, { text: string; from: number | undefined }[]>();
  events.forEach((event, at) => {
    for (const box of event.mailboxes ?? []) {
      const before = boxes.get(box.task) ?? [];
      const after: { text: string; from: number | undefined }[] = [];
      let taken = 0;
      for (const text of box.messages) {
        const found = before.findIndex((message, i) => i >= taken && message.text === text);
        if (found < 0) {
          after.push({ text, from: at });
          continue;
        }
        for (const gone of before.slice(taken, found)) consumed(gone.from, at, event, box.task);
        after.push(before[found] ?? { text, from: undefined });
        taken = found + 1;
      }
      for (const gone of before.slice(taken)) consumed(gone.from, at, event, box.task);
      // Of a long mailbox only the beginning is known: what follows cannot be told apart.
      boxes.set(box.task, box.more ? after.map(({ text }) => ({ text, from: undefined })) : after);
    }
  });
  function consumed(from: number | undefined, at: number, event: Event, owner: number): void {
    if (from !== undefined && event.task === owner) pairs.push([from, at]);
  }
  return pairs;
}
