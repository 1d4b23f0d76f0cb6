// The data of a page, as `crates/report/src/page` writes them: the trace JSON (schema/trace.schema.json) and the sentences
// that only the report crate makes. Nothing here is trusted: every text is shown with `textContent` alone.

export interface Place {
  file: string;
  line: number;
  column: number;
}

export interface Mailbox {
  task: number;
  messages: string[];
  more?: number;
}

/** One event of the record: see the schema. */
export interface Event {
  task: number;
  step?: number;
  operation: string;
  object?: string;
  result?: string;
  place?: Place;
  preempts?: boolean;
  by_itself?: boolean;
  exits?: boolean;
  reads_from?: number;
  caller?: { place: Place; function: string };
  after?: number[];
  enables?: number[];
  disables?: number[];
  spawns?: number;
  value?: string;
  lock?: { lock: string; hold: "exclusive" | "shared" | "released" };
  mailboxes?: Mailbox[];
}

export interface Task {
  name: string;
  label?: string;
}

export interface Record {
  tasks: Task[];
  events: Event[];
  enabled?: number[];
}

/** A fact in words, and where. */
export interface Fact {
  text: string;
  task?: string;
  place?: Place;
}

/** Lines of a file, from the first on. */
export interface Source {
  file: string;
  first: number;
  lines: string[];
}

export interface FailurePage {
  page: "failure";
  title: string;
  test?: string;
  message: string;
  facts: Fact[];
  /** The events where it went wrong. */
  guilty: number[];
  /** Rows of the footer: what, and the text. */
  notes: { what: string; text: string; copied?: boolean }[];
  /** What the program printed. */
  output?: string;
  suite?: string;
  sources: Source[];
  trace: { failure: { record: Record } };
}

export interface Outcome {
  program: string;
  test: string;
  verdict: "passed" | "failed" | "skipped" | "ignored" | "interrupted" | "no verdict";
  because?: string;
  covered?: string;
  executions: number;
  seconds: number;
  failure?: string;
  page?: string;
}

export interface SuitePage {
  page: "suite";
  title: string;
  outcomes: Outcome[];
  assumed: string[];
}

export type Page = FailurePage | SuitePage;

export function read(): Page {
  const element = document.getElementById("data");
  return JSON.parse(element?.textContent ?? "null") as Page;
}
