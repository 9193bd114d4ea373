/** The banner that says what is frozen by kill switches, by whom and why. */
import { get } from './door.js';
import { visible } from './visible.js';

const SHOWN = 5;

/** Reads the engaged kill switches and shows them; hides the banner when there is none. Throws what `get` throws. */
export async function showKills(banner) {
  const { items, next } = await get(`/v1/kill-switches?engaged=true&limit=${SHOWN}`);
  banner.hidden = items.length === 0;
  banner.replaceChildren(...items.map(lineOf));
  if (next !== null) banner.append('… and more.');
}

function lineOf({ scope, value, reason, engagedBy, engagedAt }) {
  const line = document.createElement('span');
  line.className = 'frozen-line';
  const what = document.createElement('strong');
  what.append('Frozen: ', scope === 'tenant' ? 'everything' : visible(`${scope} ${value}`));
  const since = new Date(engagedAt).toLocaleString();
  line.append(what, ' by a kill switch of ', visible(engagedBy), `, since ${since}: `, visible(reason));
  return line;
}
