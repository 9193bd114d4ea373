/** Reading stored events across versions: older ones become the present form, newer and unknown ones are never guessed at. */
import type { z } from 'zod';
import { sessionEventSchema, tenantEventSchema, type SessionEvent, type TenantEvent } from './events.js';

/** From the body of one version of an event type to that of the next. Total and pure. */
export type Upcast = (body: unknown) => unknown;
/** Event type -> version that it takes -> the step to the next one. */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcast>>>>;

/** No event has changed its form so far. A step stays here for as long as its old events may be stored: for ever. */
export const UPCASTERS: Upcasters = {};

/** What a row says of its event. */
export interface VersionedEvent {
  readonly type: string;
  readonly version: number;
  readonly body: unknown;
}

/**
 * `unknown_type`, `newer_version`: written by a later release, and this one must not act on it. `invalid`: neither an old nor the
 * present form.
 */
export type ReadProblem = 'unknown_type' | 'newer_version' | 'invalid';
export type ReadEvent<E> =
  | { readonly ok: true; readonly event: E }
  | { readonly ok: false; readonly problem: ReadProblem; readonly type: string; readonly version: number };

/** The forms that a release knows. */
export interface EventCatalogue<E> {
  readonly schema: z.ZodType<E>;
  /** Event type -> the version that this release writes. */
  readonly current: ReadonlyMap<string, number>;
  readonly upcasters: Upcasters;
}

/** Brings an event to the present version, step by step, and checks it. */
export function readVersioned<E>(stored: VersionedEvent, catalogue: EventCatalogue<E>): ReadEvent<E> {
  const { type, version } = stored;
  const failed = (problem: ReadProblem): ReadEvent<E> => ({ ok: false, problem, type, version });
  const current = catalogue.current.get(type);
  if (current === undefined) return failed('unknown_type');
  if (version > current) return failed('newer_version');
  let { body } = stored;
  for (let at = version; at < current; at += 1) {
    const step = catalogue.upcasters[type]?.[at];
    if (step === undefined) return failed('invalid');
    body = step(body);
  }
  const parsed = catalogue.schema.safeParse({ type, version: current, body });
  return parsed.success ? { ok: true, event: parsed.data } : failed('invalid');
}

type EventUnion = typeof sessionEventSchema | typeof tenantEventSchema;

const currentOf = (schema: EventUnion): ReadonlyMap<string, number> =>
  new Map(schema.options.map(({ shape }) => [shape.type.value, shape.version.value]));

const SESSION_EVENTS: EventCatalogue<SessionEvent> = {
  schema: sessionEventSchema,
  current: currentOf(sessionEventSchema),
  upcasters: UPCASTERS,
};
const TENANT_EVENTS: EventCatalogue<TenantEvent> = {
  schema: tenantEventSchema,
  current: currentOf(tenantEventSchema),
  upcasters: UPCASTERS,
};

/** Reads an event of a session's stream. */
export const readSessionEvent = (stored: VersionedEvent): ReadEvent<SessionEvent> =>
  readVersioned(stored, SESSION_EVENTS);

/** Reads an event of a tenant's own stream. */
export const readTenantEvent = (stored: VersionedEvent): ReadEvent<TenantEvent> => readVersioned(stored, TENANT_EVENTS);
