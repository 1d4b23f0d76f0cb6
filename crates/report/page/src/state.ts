// What is known of the program just before an event: who is enabled, who holds what, the values and the mailboxes.
//
// Everything is added up from the facts of the events; where the trace does not say, the answer is undefined. Every so many
// events the whole state is kept, so that any event is reached quickly.

import type { Event, Mailbox, Record } from "./data";

export interface Value {
  text: string;
  /** The first event that has it: it wrote it, or found it there. */
  at: number;
}

export interface State {
  /** Undefined where the trace does not say. */
  enabled: Set<number> | undefined;
  /** By lock: its holders and how they hold it. */
  locks: Map<string, Map<number, { shared: boolean; since: number }>>;
  values: Map<string, Value>;
  mailboxes: Map<number, Mailbox>;
  /** The last event of each task. */
  last: Map<number, number>;
}

const EVERY = 512;

function copy(state: State): State {
  const locks: State["locks"] = new Map();
  state.locks.forEach((holders, lock) => locks.set(lock, new Map(holders)));
  return {
    enabled: state.enabled && new Set(state.enabled),
    locks,
    values: new Map(state.values),
    mailboxes: new Map(state.mailboxes),
    last: new Map(state.last),
  };
}

function apply(state: State, event: Event, at: number): void {
  state.last.set(event.task, at);
  event.enables?.forEach((task) => state.enabled?.add(task));
  event.disables?.forEach((task) => state.enabled?.delete(task));
  if (event.lock) {
    const holders = state.locks.get(event.lock.lock) ?? new Map();
    if (event.lock.hold === "released") holders.delete(event.task);
    else holders.set(event.task, { shared: event.lock.hold === "shared", since: at });
    state.locks.set(event.lock.lock, holders);
  }
  if (event.object !== undefined && event.value !== undefined) {
    const known = state.values.get(event.object);
    if (!known || known.text !== event.value) {
      state.values.set(event.object, { text: event.value, at });
    }
  }
  event.mailboxes?.forEach((box) => state.mailboxes.set(box.task, box));
}

/** Answers what is known just before an event; `events.length` is the end. */
export class States {
  private readonly kept: State[] = [];

  constructor(private readonly record: Record) {
    const state: State = {
      enabled: record.enabled && new Set(record.enabled),
      locks: new Map(),
      values: new Map(),
      mailboxes: new Map(),
      last: new Map(),
    };
    record.events.forEach((event, at) => {
      if (at % EVERY === 0) this.kept.push(copy(state));
      apply(state, event, at);
    });
    if (this.kept.length === 0) this.kept.push(copy(state));
  }

  before(at: number): State {
    const index = Math.min(Math.floor(at / EVERY), this.kept.length - 1);
    const state = copy(this.kept[index] as State);
    for (let i = index * EVERY; i < at; i++) {
      const event = this.record.events[i];
      if (event) apply(state, event, i);
    }
    return state;
  }
}
