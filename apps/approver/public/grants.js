/** What was allowed for good: a list with a button that takes each back. Read when it is opened, and again after every change. */
import { get, remove } from './door.js';
import { visible } from './visible.js';

const PAGE_SIZE = 50;

/** `section`: the element around the list; `failed` hears of errors. */
export function wireGrants(section, failed) {
  const state = { section, failed, next: null };
  section.addEventListener('toggle', () => section.open && void read(state));
  section.querySelector('.more').addEventListener('click', () => void read(state, state.next));
  return { changed: () => section.open && void read(state) };
}

async function read(state, cursor = null) {
  const { section, failed } = state;
  try {
    const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, next } = await get(`/v1/grants?status=active&limit=${PAGE_SIZE}${at}`);
    const list = section.querySelector('ol');
    const rows = items.map((grant) => grantItem(grant, state));
    if (cursor === null) list.replaceChildren(...rows);
    else list.append(...rows);
    state.next = next;
    section.querySelector('.more').hidden = next === null;
    showEmpty(section);
  } catch (error) {
    await failed(error);
  }
}

function showEmpty(section) {
  section.querySelector('.empty').hidden = section.querySelector('ol').children.length > 0;
}

function grantItem(grant, state) {
  const item = document.createElement('li');
  item.dataset.grantId = grant.id;
  const what = document.createElement('code');
  what.append(visible(grant.pattern ?? `${grant.tool}: exactly one call`));
  const terms = document.createElement('span');
  terms.className = 'end';
  terms.append(visible(termsOf(grant)));
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Revoke';
  button.setAttribute('aria-label', `Revoke ${what.textContent}`);
  button.addEventListener('click', () => void revoke(grant, { item, button, state }));
  item.append(what, terms, button);
  return item;
}

/** "in /home/ann/payments, by Ann, 3 uses left, until 12:30"; what does not limit it is left out. */
function termsOf({ sessionId, root, personName, personId, remaining, expiresAt }) {
  const where = sessionId === null ? (root === null ? 'in every project' : `in ${root}`) : `in session ${sessionId}`;
  const who = personName ?? personId;
  const parts = [where];
  if (who) parts.push(`by ${who}`);
  if (remaining !== null) parts.push(`${remaining} ${remaining === 1 ? 'use' : 'uses'} left`);
  if (expiresAt !== null) parts.push(`until ${new Date(expiresAt).toLocaleString()}`);
  return parts.join(', ');
}

async function revoke(grant, { item, button, state }) {
  button.disabled = true;
  try {
    await remove(`/v1/grants/${encodeURIComponent(grant.id)}`);
    item.remove();
    showEmpty(state.section);
  } catch (error) {
    button.disabled = false;
    await state.failed(error);
  }
}
