/** The port of traces: where a span begins and ends, and how its context travels. Given as a dependency: there is no global one. */

/** Context of a span in W3C form, `00-<trace id>-<span id>-<flags>`: 55 characters. */
export type TraceParent = string;
/** Attributes of a span. Ids, names and numbers only: never anything that an agent wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** Absent: the span that runs here, if any; null: a new trace. */
  readonly parent?: TraceParent | null;
  /** Spans of other traces that this one also works for. */
  readonly links?: readonly TraceParent[];
  readonly attributes?: SpanAttributes;
  /** `internal` unless given. */
  readonly kind?: 'server' | 'producer' | 'consumer' | 'client' | 'internal';
}

/** A running span. */
export interface Span {
  /** What travels to whoever goes on; null when nothing is traced. */
  readonly context: TraceParent | null;
  note(attributes: SpanAttributes): void;
  /** Once; `failed` marks it as an error, without a text. */
  end(failed?: boolean): void;
}

/** Never throws. */
export interface Tracing {
  /** False: everything here does nothing, and callers may skip what only traces need. */
  readonly on: boolean;
  start(name: string, start?: SpanStart): Span;
  /** The span that runs here, as `run` set it. */
  active(): TraceParent | null;
  /** Runs `work` so that spans which begin within it have `span` as their parent. */
  run<T>(span: Span, work: () => T): T;
}

/** The span of nothing. */
export const NO_SPAN: Span = { context: null, note: () => undefined, end: () => undefined };

/** Traces nothing, at no cost. */
export const NO_TRACING: Tracing = {
  on: false,
  start: () => NO_SPAN,
  active: () => null,
  run: (_span, work) => work(),
};
