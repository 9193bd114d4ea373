/** How the end of a question reads: on its card, and in the list of recent decisions. */
import { visible } from './visible.js';

/** "approved by Ann via web at 12:30:02"; what is not known is left out. `edited`: with other arguments than it asked about. */
export function describeEnd({ status, by, via, at, edited = false }) {
  const parts = [status === 'closed' ? 'no longer open' : status];
  if (edited) parts.push('with other arguments');
  if (by) parts.push(`by ${by}`);
  if (via) parts.push(`via ${via}`);
  if (at) parts.push(`at ${new Date(at).toLocaleTimeString()}`);
  const text = parts.join(' ');
  return text[0].toUpperCase() + text.slice(1);
}

/** "Sam answered reject via slack at 12:31:10: too late, it changed nothing"; for whoever answered first, and everybody else. */
export function describeLate({ answer, by, via, at }) {
  const when = new Date(at).toLocaleTimeString();
  return `${by ?? 'Somebody'} answered ${answer} via ${via} at ${when}: too late, it changed nothing`;
}

function lateLine(late) {
  const line = document.createElement('span');
  line.className = 'late';
  line.append(visible(describeLate(late)));
  return line;
}

const glance = (args) => (args.length > 160 ? `${args.slice(0, 110)} … ${args.slice(-45)}` : args);

/** What runs where an approver changed the arguments: never to be taken for what was asked. */
function instead(args) {
  const line = document.createElement('span');
  line.className = 'late';
  const code = document.createElement('code');
  code.append(visible(glance(args)));
  line.append('Runs instead: ', code);
  return line;
}

/** How an ask ended, as the live line tells it. */
export const noticeOf = (ask) => ({
  id: ask.id,
  status: ask.status,
  by: ask.resolvedBy,
  via: ask.resolvedVia,
  at: ask.resolvedAt,
  edited: ask.editedArgs !== null,
});

/** One line of the list of recent decisions. */
export function recentItem(ask) {
  const item = document.createElement('li');
  item.dataset.status = ask.status;
  const what = document.createElement('span');
  what.className = 'what';
  what.append(visible(ask.tool), ' ');
  const args = document.createElement('code');
  args.append(visible(glance(ask.args)));
  what.append(args);
  if (ask.editedArgs !== null) what.append(instead(ask.editedArgs));
  const end = document.createElement('span');
  end.className = 'end';
  end.append(visible(describeEnd(noticeOf(ask))));
  item.append(what, end, ...(ask.late ?? []).map(lateLine));
  return item;
}
