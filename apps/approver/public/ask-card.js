/** One open question as a card: what the agent wants to do, why it was asked, and the two buttons. */
import { readOptions, wireOptions } from './ask-options.js';
import { cut, textBlock, visible } from './visible.js';

const template = document.getElementById('ask-card');
const MOVE_GUARD_MS = 500;
let lastMove = -MOVE_GUARD_MS;

/** Call when cards change their place: presses right after that are ignored, they were meant for another card. */
export function cardsMoved() {
  lastMove = performance.now();
}

/**
 * Builds the card of `ask`. `onAnswer(body)` is called once per press; `loadDetail()` fetches what helps to answer, when the
 * person opens that part.
 */
export function askCard(ask, { onAnswer, loadDetail }) {
  const card = template.content.firstElementChild.cloneNode(true);
  card.dataset.askId = ask.id;
  fillTop(card, ask);
  fillFacts(card, ask);
  fillArguments(card.querySelector('.arguments'), ask.args);
  fillSays(card.querySelector('.says'), ask.agentSays);
  fillSpoke(card.querySelector('.spoke'), ask.matches);
  wireButtons(card, ask, onAnswer);
  wireOptions(card, loadDetail);
  showNotice(card, ask);
  return card;
}

function fillTop(card, ask) {
  const title = card.querySelector('.ask-title');
  title.id = `title-${ask.id}`;
  title.append(visible(ask.tool), ' ', small('for '), small(ask.agent));
  card.setAttribute('aria-labelledby', title.id);
  const risk = card.querySelector('.risk');
  risk.textContent = `${ask.risk} risk`;
  risk.dataset.risk = ask.risk;
}

function small(text) {
  const element = document.createElement('small');
  element.append(visible(text));
  return element;
}

function fillFacts(card, ask) {
  card.querySelector('.reason').append(visible(ask.reason));
  card.querySelector('.rule').append(visible(ask.ruleId));
  card.querySelector('.session').append(visible(ask.path.join(' › ')));
  card.querySelector('.cwd').append(visible(ask.cwd ?? 'not told'));
  fillApprovers(card, ask.route?.approvers ?? null);
}

/** Nothing is said where everybody with the role may answer. */
function fillApprovers(card, approvers) {
  if (approvers === null) return;
  const place = card.querySelector('.approvers');
  place.hidden = false;
  card.querySelector('.approvers-term').hidden = false;
  place.append(visible(approvers.length === 0 ? 'nobody: the list of its route is empty' : approvers.join(', ')));
}

/** `alike`: how many open questions of the session ask for the same call, this one included. */
export function showAlike(card, alike) {
  const place = card.querySelector('.alike');
  place.hidden = alike < 2;
  place.textContent =
    alike < 2 ? '' : `The same call is asked ${alike} times by this session; each answer is for one of them.`;
}

/** Each argument under its own name when the text is an object, else the text as it came. */
function fillArguments(place, json) {
  const value = parseObject(json);
  if (value === null) {
    place.append(textBlock(json));
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) place.append(textBlock('{}'));
  for (const [name, item] of entries) {
    const label = document.createElement('h5');
    label.append(visible(name));
    place.append(label, textBlock(typeof item === 'string' ? item : JSON.stringify(item, null, 2)));
  }
}

/** The server shows hidden characters of the JSON text as `\u{…}`; they become JSON escapes again, to be shown as marks. */
const restored = (json) =>
  json.replace(/\\(?:u\{([0-9a-f]+)\}|[^])/g, (all, hex) =>
    hex === undefined ? all : JSON.stringify(String.fromCodePoint(parseInt(hex, 16))).slice(1, -1),
  );

function parseObject(json) {
  try {
    const value = JSON.parse(restored(json));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function fillSays(place, text) {
  if (text === null || text === '') return;
  place.hidden = false;
  place.querySelector('.says-text').append(textBlock(text));
}

function fillSpoke(place, matches) {
  place.querySelector('summary').textContent =
    matches.length === 1 ? 'One rule spoke' : `${matches.length} rules and checks spoke`;
  const list = place.querySelector('ul');
  for (const match of matches) {
    const item = document.createElement('li');
    const effect = document.createElement('b');
    effect.textContent = match.effect;
    item.append(effect, ' ', visible(`${match.ruleId}: ${match.reason}`));
    if (match.subject !== null) item.append(' — ', visible(shorten(match.subject)));
    list.append(item);
  }
}

function shorten(text) {
  const parts = cut(text);
  return parts === null ? text : `${text.slice(0, parts.head)} … ${text.slice(parts.tail)}`;
}

function wireButtons(card, ask, onAnswer) {
  const form = card.querySelector('form');
  form.addEventListener('submit', (event) => event.preventDefault());
  for (const answer of ['approve', 'reject']) {
    const button = form.elements.namedItem(answer);
    button.setAttribute('aria-describedby', `title-${ask.id}`);
    button.addEventListener('click', () => {
      if (performance.now() - lastMove < MOVE_GUARD_MS) {
        sayOnCard(card, 'The list moved just before this press, so it was not taken. Press again to answer.');
        return;
      }
      try {
        onAnswer({
          answer,
          version: ask.version,
          ...reasonOf(form),
          ...(answer === 'approve' ? readOptions(form) : {}),
        });
      } catch (error) {
        sayOnCard(card, error.message);
      }
    });
  }
}

function reasonOf(form) {
  const reason = form.elements.namedItem('reason').value.trim();
  return reason === '' ? {} : { reason };
}

/** What keeps this ask from being approved here: it is frozen, or its route says so. */
export function showNotice(card, ask) {
  const form = card.querySelector('form');
  if (form === null) return;
  const rejectOnly = ask.route?.rejectOnlyOn.includes('web') ?? false;
  const text = ask.frozen
    ? 'A kill switch is engaged: this can be rejected, and approved only after its release. Its time stands still.'
    : rejectOnly
      ? 'Here this can be rejected but not approved.'
      : '';
  const notice = card.querySelector('.notice');
  notice.textContent = text;
  notice.hidden = text === '';
  form.elements.namedItem('approve').hidden = text !== '';
}

/** While an answer is on its way, both buttons wait. */
export function setBusy(card, busy) {
  card.setAttribute('aria-busy', String(busy));
  for (const field of card.querySelector('form').elements) field.disabled = busy;
}

/** Says something on the card without closing it, for example that an answer did not arrive. */
export function sayOnCard(card, text) {
  card.querySelector('.result').replaceChildren(visible(text));
}

/** Closes the card: the buttons go, the result stays. */
export function closeCard(card, status, text) {
  card.dataset.status = status;
  card.querySelector('.notice').hidden = true;
  card.querySelector('form').remove();
  card.querySelector('.deadline').textContent = status;
  card.setAttribute('aria-busy', 'false');
  sayOnCard(card, text);
}

/** Writes the time that is left; `now` is the server's clock in milliseconds. */
export function showDeadline(card, ask, now) {
  if (card.dataset.status !== undefined) return;
  const place = card.querySelector('.deadline');
  if (ask.deadline === null) {
    place.textContent = 'waits without limit';
    return;
  }
  const seconds = Math.max(0, Math.round((Date.parse(ask.deadline) - now) / 1000));
  place.textContent = seconds === 0 ? 'time is up' : `${clock(seconds)} left`;
  place.dataset.soon = String(seconds < 60);
}

function clock(seconds) {
  const pad = (value) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${hours > 0 ? pad(Math.floor((seconds % 3600) / 60)) : Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
