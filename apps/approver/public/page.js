/** The inbox: keeps the list of open questions as the server has it, and sends answers. */
import { askCard, cardsMoved, closeCard, sayOnCard, setBusy, showAlike, showDeadline, showNotice } from './ask-card.js';
import { answerText } from './ask-options.js';
import { get, post, Refusal, signedIn } from './door.js';
import { showClosedChannels } from './channel-banner.js';
import { wireGrants } from './grants.js';
import { showKills } from './kill-banner.js';
import { connectLive } from './live.js';
import { describeEnd, describeLate, noticeOf, recentItem } from './recent.js';
import { visible } from './visible.js';

const POLL_MS = { live: 30_000, paused: 3_000 };
const CLOSED_STAYS_MS = 10_000;
const PAGE_SIZE = 100;

const element = (id) => document.getElementById(id);
const list = element('open-asks');

/** Cards on the page by ask id. */
const cards = new Map();
/** Ids of asks that ended. INVARIANT: an ask that ended never comes back, whatever an older list or message says. */
const ended = new Set();
let newestVersion = '';
let clockAhead = 0;
let lineState = 'paused';
let nextPoll;
const grants = wireGrants(element('grants'), (error) => failed(error));

const session = await signedIn();
if (session === null) {
  location.replace('/sign-in');
} else {
  start();
}

function start() {
  element('who').textContent = session.name;
  element('sign-out').hidden = false;
  element('sign-out').addEventListener('click', () => void signOut());
  element('more').addEventListener('click', () => void refresh(element('more').dataset.next));
  connectLive({
    state: showLine,
    opened: (ask) => show(ask),
    closed: (notice) => end(notice),
    late: (notice) => contested(notice),
    caughtUp: () => void refresh(),
    killed: () => void refresh(),
    signedOut: backToSignIn,
  });
  setInterval(tick, 1_000);
  void refresh();
}

function showLine(text, name) {
  lineState = name;
  const place = element('connection');
  place.textContent = text;
  place.dataset.state = name;
  if (name === 'paused') plan();
}

function plan() {
  clearTimeout(nextPoll);
  nextPoll = setTimeout(() => void refresh(), POLL_MS[lineState] ?? POLL_MS.paused);
}

/** Reads the open asks from the server and makes the page agree with them. */
async function refresh(cursor) {
  clearTimeout(nextPoll);
  try {
    const before = new Set(cards.keys());
    const at = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page = await get(`/v1/asks?status=open&limit=${PAGE_SIZE}${at}`);
    if (page.version >= newestVersion) accept(page, cursor ? new Set() : before);
    await refreshRecent();
    await showKills(element('frozen'));
    await showClosedChannels(element('closed-channels'));
    showTrouble('');
  } catch (error) {
    await failed(error);
  } finally {
    plan();
  }
}

function accept(page, before) {
  newestVersion = page.version;
  clockAhead = Date.parse(page.now) - Date.now();
  const listed = new Set(page.items.map((ask) => ask.id));
  // Newest first on the wire, oldest first on the page: so most cards are added at the end and nothing moves.
  for (const ask of page.items.toReversed()) show(ask);
  for (const id of before) if (!listed.has(id) && !ended.has(id)) void lookAgain(id);
  element('more').hidden = page.next === null;
  element('more').dataset.next = page.next ?? '';
}

/** A card that the list no longer names: it ended, or it stands on a later page. */
async function lookAgain(id) {
  try {
    const ask = await get(`/v1/asks/${encodeURIComponent(id)}`);
    if (ask.status !== 'open') end(noticeOf(ask));
  } catch (error) {
    if (!(error instanceof Refusal)) return;
    end({ id, status: 'closed', by: null, via: null, at: null });
  }
}

function show(ask) {
  if (ask.status !== 'open' || ended.has(ask.id)) return;
  const known = cards.get(ask.id);
  if (known) return renew(known, ask);
  const card = askCard(ask, {
    onAnswer: (body) => void send(ask, body),
    loadDetail: () => get(`/v1/asks/${encodeURIComponent(ask.id)}`),
  });
  cards.set(ask.id, { ask, card });
  const later = [...cards.values()].find((other) => other.card.isConnected && other.ask.openedAt > ask.openedAt);
  if (later) cardsMoved();
  list.insertBefore(card, later?.card ?? null);
  showDeadline(card, ask, serverNow());
  announce(`New question: ${ask.tool} for ${ask.agent}`);
  count();
}

/** What may change while a question is open: its deadline, and whether a kill switch freezes it. */
function renew(entry, ask) {
  entry.ask = ask;
  showNotice(entry.card, ask);
  showDeadline(entry.card, ask, serverNow());
}

function end(notice, text = describeEnd(notice)) {
  if (ended.has(notice.id)) return;
  ended.add(notice.id);
  const entry = cards.get(notice.id);
  if (!entry) return;
  closeCard(entry.card, notice.status, text);
  announce(`${entry.ask.tool}: ${text}`);
  count();
  setTimeout(() => takeAway(notice.id), CLOSED_STAYS_MS);
  void refreshRecent().catch(failed);
}

/** Somebody answered after the end, and said something else: whoever answered first reads it on the card and in the list. */
function contested(notice) {
  const entry = cards.get(notice.id);
  if (entry)
    sayOnCard(
      entry.card,
      `${entry.card.querySelector('.result').textContent.replace(/\.$/, '')}. ${describeLate(notice)}.`,
    );
  announce(`${describeLate(notice)}; ${notice.first} had answered before.`);
  void refreshRecent().catch(failed);
}

function takeAway(id) {
  const entry = cards.get(id);
  if (!entry) return;
  cards.delete(id);
  cardsMoved();
  entry.card.remove();
  count();
}

/** One key per press: a retry of the same press is the same answer. */
async function send(ask, body) {
  const { card } = cards.get(ask.id);
  setBusy(card, true);
  sayOnCard(card, 'Sending …');
  try {
    const done = await post(`/v1/asks/${encodeURIComponent(ask.id)}/answer`, answerText(body), {
      'idempotency-key': crypto.randomUUID(),
    });
    end(noticeOf(done.ask), `${describeEnd(noticeOf(done.ask))}.`);
    focusNext(card);
    grants.changed();
  } catch (error) {
    await answerFailed(ask, card, error);
  }
}

async function answerFailed(ask, card, error) {
  if (!ended.has(ask.id)) setBusy(card, false);
  if (!(error instanceof Refusal)) {
    sayOnCard(card, 'The answer may not have arrived. Looking again …');
    await lookAgain(ask.id);
    return;
  }
  if (error.status === 401) return backToSignIn();
  if (error.code === 'ask.already_resolved' || error.code === 'ask.expired') {
    const { status = 'expired', by = null, at = null, via = null } = error.details;
    const notice = { id: ask.id, status, by, at, via };
    return end(notice, `Too late: ${describeEnd(notice)}.`);
  }
  sayOnCard(card, error.message);
}

function focusNext(card) {
  const next = card.nextElementSibling ?? list.firstElementChild;
  (next ?? card).focus();
}

async function refreshRecent() {
  const { items } = await get('/v1/asks?status=ended&limit=20');
  element('recent-asks').replaceChildren(...items.map(recentItem));
  element('no-recent').hidden = items.length > 0;
}

async function failed(error) {
  if (error instanceof Refusal && error.status === 401) return backToSignIn();
  showTrouble(`The list could not be read: ${error.message}`);
}

async function backToSignIn() {
  if ((await signedIn().catch(() => session)) === null) location.replace('/sign-in');
}

async function signOut() {
  await post('/sign-out', {}).catch(() => null);
  location.replace('/sign-in');
}

function tick() {
  for (const { ask, card } of cards.values()) showDeadline(card, ask, serverNow());
}

const serverNow = () => Date.now() + clockAhead;

const sameCall = ({ sessionId, tool, argsHash }) => JSON.stringify([sessionId, tool, argsHash]);

function countAlike() {
  const open = [...cards.values()].filter(({ ask }) => !ended.has(ask.id));
  const numbers = new Map();
  for (const { ask } of open) numbers.set(sameCall(ask), (numbers.get(sameCall(ask)) ?? 0) + 1);
  for (const { ask, card } of open) showAlike(card, numbers.get(sameCall(ask)));
}

function count() {
  const open = [...cards.keys()].filter((id) => !ended.has(id)).length;
  countAlike();
  element('open-count').textContent = String(open);
  element('nothing').hidden = cards.size > 0;
  document.title = open === 0 ? 'Countersign' : `(${open}) Countersign`;
}

function showTrouble(text) {
  element('trouble').replaceChildren(visible(text));
  element('trouble').hidden = text === '';
  count();
}

function announce(text) {
  element('announcer').textContent = text;
}
