/** The banner that names the places which questions do not reach any more. */
import { get } from './door.js';
import { visible } from './visible.js';

/** Reads the channels and shows those that are closed; hides the banner when there is none. Throws what `get` throws. */
export async function showClosedChannels(banner) {
  const { items } = await get('/v1/channels');
  const closed = items.filter((place) => place.closed !== null);
  banner.hidden = closed.length === 0;
  banner.replaceChildren(...closed.map(lineOf));
}

function lineOf({ channel, target, closed }) {
  const line = document.createElement('span');
  line.className = 'frozen-line';
  const since = new Date(closed.closedAt).toLocaleString();
  line.append(visible(`Nothing is sent to ${channel} ${target} any more, since ${since}: ${closed.problem}.`));
  return line;
}
