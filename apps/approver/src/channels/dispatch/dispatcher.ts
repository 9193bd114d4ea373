/** Keeps every channel true to the ledger: open asks are shown, ended ones say how they ended. Messages only hurry it. */
import { OPEN_ROUTE } from '@countersign/approval';
import type { AskView } from '@countersign/contracts';
import type { Delivery, PlannedMessage } from '@countersign/ledger';
import type { Channel } from '../channel.js';
import { createBoundedSet } from './bounded-set.js';
import { closeCard, sendCard, tellLate, type CardKind, type DeliverDeps } from './deliver.js';
import { createLanes } from './lanes.js';
import { targetsOf, type CardTarget } from './targets.js';

export interface DispatcherDeps extends DeliverDeps {
  readonly channels: readonly Channel[];
  /** A whole look or message that failed; the next look mends it. */
  readonly onError: (error: unknown) => void;
}

export interface Dispatcher {
  /** Shows an ask wherever its route leads. Never throws. */
  tell(tenantId: string, askId: string): Promise<void>;
  /** Closes the cards of an ask that ended. Never throws. */
  end(tenantId: string, askId: string): Promise<void>;
  /** Tells whoever answered an ask first that somebody said the contrary. Never throws. */
  late(tenantId: string, askId: string): Promise<void>;
  /** Finds what no message told of: new asks, failed attempts that are due, cards that are out of date. Never throws. */
  sweep(): Promise<void>;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

/** Most asks or cards of one kind that one look takes up. */
const SWEEP_LIMIT = 100;
/** Exchanges with providers at one time. */
const LANES = 16;
/** Asks that this process has taken up; of one that is forgotten only the ledger is asked once more. */
const TAKEN_UP = 10_000;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const lanes = createLanes(LANES);
  const tenants = [...new Set(deps.channels.map(({ tenantId }) => tenantId))];
  const guarded = (work: () => Promise<void>): Promise<void> => lanes.run(() => work().catch(deps.onError));
  const ofTenant = (tenantId: string): Channel[] => deps.channels.filter((one) => one.tenantId === tenantId);
  const ofOurs = (tenantId: string, work: (channels: Channel[]) => Promise<void>): Promise<void> =>
    tenants.includes(tenantId) ? guarded(() => work(ofTenant(tenantId))) : Promise.resolve();
  const takenUp = createBoundedSet(TAKEN_UP);
  const tell = (tenantId: string, askId: string): Promise<void> => {
    // The same news comes over the bus more than once, so that it comes at all.
    if (takenUp.has(askId)) return Promise.resolve();
    return ofOurs(tenantId, async (channels) => {
      await show(deps, channels, { tenantId, askId });
      takenUp.add(askId);
    });
  };
  const end = (tenantId: string, askId: string): Promise<void> =>
    ofOurs(tenantId, (channels) => close(deps, channels, { tenantId, askId }));
  const late = (tenantId: string, askId: string): Promise<void> =>
    ofOurs(tenantId, (channels) => contradict(deps, channels, askId));
  const sweep = async (): Promise<void> => {
    const { deliveries } = deps.ledger;
    const [due, fresh, outdated] = await Promise.all([
      deliveries.due(deps.channels, SWEEP_LIMIT),
      deliveries.unannounced(tenants, SWEEP_LIMIT),
      deliveries.outdated(tenants, SWEEP_LIMIT),
    ]);
    await Promise.all([
      ...due.map((row) => guarded(() => again(deps, ofTenant(row.tenantId), row))),
      ...fresh.map((key) => guarded(() => show(deps, ofTenant(key.tenantId), key))),
      ...outdated.map(({ tenantId, askId }) => end(tenantId, askId)),
    ]);
  };
  return { tell, end, late, sweep: () => sweep().catch(deps.onError), idle: () => lanes.idle() };
}

interface AskKey {
  readonly tenantId: string;
  readonly askId: string;
}

async function show(deps: DispatcherDeps, channels: readonly Channel[], key: AskKey): Promise<void> {
  const ask = await deps.ledger.asks.get(key.tenantId, key.askId);
  if (ask?.status !== 'open') return;
  const places = targetsOf(ask.route ?? OPEN_ROUTE, channels);
  if (places.length === 0) return markUnrouted(deps, key, ask);
  // All of them are written down first: a process that dies in between leaves none that nobody finds. Whoever wrote one down sends it.
  const written = await deps.ledger.deliveries.plan(places.flatMap((place) => messagesIn(ask, place)));
  const isOurs = ({ channel, target }: CardTarget): boolean =>
    written.some((one) => one.kind === 'card' && one.channel === channel.name && one.target === target);
  for (const place of places.filter(isOurs)) await showIn(deps, ask, place, 'card');
}

/** So that no look finds the ask again. */
async function markUnrouted(
  { ledger }: DispatcherDeps,
  { tenantId, askId }: AskKey,
  { version }: AskView,
): Promise<void> {
  const key = { tenantId, askId, channel: 'none', kind: 'card', version, target: '-' };
  const claim = await ledger.deliveries.claim(key, 1_000);
  if (claim !== null) await ledger.deliveries.closed(claim.id);
}

/** The card, and the reminder where the route wants one. */
function messagesIn(ask: AskView, { channel, target }: CardTarget): PlannedMessage[] {
  const { tenantId, name } = channel;
  const key = { tenantId, askId: ask.id, channel: name, version: ask.version, target };
  const after = ask.route?.remindAfter ?? null;
  const reminder = after === null ? [] : [{ ...key, kind: 'reminder', inMs: after * 1_000 }];
  return [{ ...key, kind: 'card', inMs: 0 }, ...reminder];
}

/** An ask that ended while its card was on the way is closed at once. */
async function showIn(deps: DispatcherDeps, ask: AskView, place: CardTarget, kind: CardKind): Promise<void> {
  if (!(await sendCard(deps, ask, place, kind))) return;
  await close(deps, deps.channels, { tenantId: place.channel.tenantId, askId: ask.id });
}

async function close(deps: DispatcherDeps, channels: readonly Channel[], { tenantId, askId }: AskKey): Promise<void> {
  const ask = await deps.ledger.asks.get(tenantId, askId);
  if (ask === null || ask.status === 'open') return;
  const sent = await deps.ledger.deliveries.openCards(askId);
  await Promise.all(
    sent.map(async (card) => {
      const channel = channels.find(({ name }) => name === card.channel);
      // A channel that is not set up any more rewrites nothing.
      if (channel) await closeCard(deps, ask, channel, card);
      else await deps.ledger.deliveries.closed(card.id);
    }),
  );
}

async function contradict(deps: DispatcherDeps, channels: readonly Channel[], askId: string): Promise<void> {
  const planned = await deps.ledger.deliveries.waiting(askId, 'late');
  await Promise.all(planned.map((row) => again(deps, channels, row)));
}

/** A planned message, one that failed before, or one whose process died. */
async function again(deps: DispatcherDeps, channels: readonly Channel[], row: Delivery): Promise<void> {
  const ask = await deps.ledger.asks.get(row.tenantId, row.askId);
  if (ask === null) return;
  if (row.kind.startsWith('close-')) return close(deps, channels, row);
  const channel = channels.find(({ name }) => name === row.channel);
  if (!channel) return;
  if (ask.status === 'open') return showIn(deps, ask, { channel, target: row.target }, row.kind as CardKind);
  if (row.kind === 'late') return tellLate(deps, ask, channel, row);
  // Never shown, and no longer needed.
  const claim = await deps.ledger.deliveries.claim(row, 1_000);
  if (claim !== null) await deps.ledger.deliveries.closed(claim.id);
}
