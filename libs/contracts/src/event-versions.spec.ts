/** Two releases side by side: each reads what the other wrote, or says plainly that it cannot. */
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  readSessionEvent,
  readTenantEvent,
  readVersioned,
  type EventCatalogue,
  type VersionedEvent,
} from './event-versions.js';

/** The release of today, and the next one: `Noted` gets a second version with a needed field, `Weighed` is new. */
const notedOne = z.object({ type: z.literal('Noted'), version: z.literal(1), body: z.object({ text: z.string() }) });
const today: EventCatalogue<z.infer<typeof notedOne>> = {
  schema: notedOne,
  current: new Map([['Noted', 1]]),
  upcasters: {},
};
const notedTwo = z.object({
  type: z.literal('Noted'),
  version: z.literal(2),
  body: z.object({ text: z.string(), by: z.string() }),
});
const weighed = z.object({ type: z.literal('Weighed'), version: z.literal(1), body: z.object({ grams: z.number() }) });
const next: EventCatalogue<z.infer<typeof notedTwo> | z.infer<typeof weighed>> = {
  schema: z.discriminatedUnion('type', [notedTwo, weighed]),
  current: new Map([
    ['Noted', 2],
    ['Weighed', 1],
  ]),
  upcasters: { Noted: { 1: (body) => ({ ...(body as object), by: 'unknown' }) } },
};
const noted = (version: number, body: object): VersionedEvent => ({ type: 'Noted', version, body });

describe('two versions side by side', () => {
  it('the next release reads what today wrote', () => {
    expect(readVersioned(noted(1, { text: 'a' }), next)).toEqual({
      ok: true,
      event: { type: 'Noted', version: 2, body: { text: 'a', by: 'unknown' } },
    });
  });

  it('today refuses what the next release wrote, and says so', () => {
    expect(readVersioned(noted(2, { text: 'a', by: 'b' }), today)).toEqual({
      ok: false,
      problem: 'newer_version',
      type: 'Noted',
      version: 2,
    });
    expect(readVersioned({ type: 'Weighed', version: 1, body: { grams: 3 } }, today)).toMatchObject({
      ok: false,
      problem: 'unknown_type',
    });
  });

  it('both read the events that did not change, with fields that only the other one knows', () => {
    expect(readVersioned(noted(1, { text: 'a', colour: 'red' }), today)).toMatchObject({ ok: true });
  });

  it('takes nothing for an event that no release wrote', () => {
    expect(readVersioned(noted(0, { text: 'a' }), today)).toMatchObject({ ok: false, problem: 'invalid' });
    expect(readVersioned(noted(1, { text: 5 }), today)).toMatchObject({ ok: false, problem: 'invalid' });
    expect(readVersioned(noted(1.5, { text: 'a' }), next)).toMatchObject({ ok: false });
  });
});

describe('the events of this release', () => {
  it('are known by their version', () => {
    const stopped = { type: 'SessionStopped', version: 1, body: { reason: 'done', by: 'agent' } };
    expect(readSessionEvent(stopped)).toEqual({ ok: true, event: stopped });
    expect(readSessionEvent({ ...stopped, version: 2 })).toMatchObject({ problem: 'newer_version' });
    expect(readSessionEvent({ ...stopped, type: 'SessionFroze' })).toMatchObject({ problem: 'unknown_type' });
    expect(readTenantEvent({ type: 'TenantCreated', version: 1, body: { name: 'n' } })).toMatchObject({ ok: true });
    expect(readTenantEvent(stopped)).toMatchObject({ problem: 'unknown_type' });
  });
});
