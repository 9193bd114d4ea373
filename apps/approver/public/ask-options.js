/** The part of a card that most answers do not need: how far an approval reaches, and other arguments to run instead. */
import { visible } from './visible.js';

const EXACT = '';
const MAX_SHOWN = 4;

/** Fills the part when it is opened for the first time. */
export function wireOptions(card, loadDetail) {
  const options = card.querySelector('.options');
  options.addEventListener('toggle', () => void fill(options, loadDetail), { once: true });
  options.addEventListener('change', () => showReach(options));
}

async function fill(options, loadDetail) {
  const words = options.querySelector('.in-words');
  try {
    const detail = await loadDetail();
    words.append(visible(`${detail.explanation.explanation} ${detail.explanation.risk}`));
    options.suggestions = detail.suggestions;
  } catch (error) {
    words.replaceChildren(visible(`Suggestions could not be loaded: ${error.message}`));
    options.suggestions = [];
  }
  const select = options.querySelector('select[name=pattern]');
  select.append(option(EXACT, 'exactly this call'));
  for (const { pattern } of options.suggestions) select.append(option(pattern, pattern));
  showReach(options);
}

function option(value, text) {
  const element = document.createElement('option');
  element.value = value;
  element.append(visible(text));
  return element;
}

function showReach(options) {
  const scope = options.querySelector('input[name=scope]:checked')?.value ?? 'once';
  options.querySelector('.reach').hidden = scope === 'once';
  const pattern = options.querySelector('select[name=pattern]').value;
  const chosen = (options.suggestions ?? []).find((one) => one.pattern === pattern);
  const place = options.querySelector('.preview');
  place.replaceChildren();
  if (!chosen) return;
  place.append(
    list('It would also allow', chosen.preview.wouldMatch),
    list('It would not allow', chosen.preview.wouldNotMatch),
  );
}

function list(title, calls) {
  const section = document.createElement('div');
  const heading = document.createElement('h5');
  heading.textContent = title;
  const items = document.createElement('ul');
  for (const call of calls.slice(0, MAX_SHOWN)) {
    const item = document.createElement('li');
    item.append(visible(`${call.tool} ${JSON.stringify(call.args)}`));
    items.append(item);
  }
  section.append(heading, items);
  section.hidden = calls.length === 0;
  return section;
}

/** What the person chose, as fields of the answer. Throws with a sentence for the person when the arguments are not JSON. */
export function readOptions(form) {
  const scope = form.elements.namedItem('scope').value;
  const pattern = form.elements.namedItem('pattern').value;
  const ttl = form.elements.namedItem('ttl').value;
  return {
    scope,
    ...(scope === 'once' || pattern === EXACT ? {} : { pattern }),
    ...(scope === 'once' || ttl === '' ? {} : { ttl: Number(ttl) }),
    ...editedInput(form.elements.namedItem('input').value),
  };
}

/** `input`: the arguments as they were written. */
function editedInput(input) {
  if (input.trim() === '') return {};
  const value = parse(input);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The arguments to run instead must be a JSON object. Nothing was sent.');
  }
  return { input };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The answer as JSON text. Edited arguments go out letter by letter as they were written, so that the server sees a name that stands
 * twice or a number that cannot be kept, and refuses it.
 */
export function answerText({ input, ...answer }) {
  const text = JSON.stringify(answer);
  return input === undefined ? text : `${text.slice(0, -1)},"updatedInput":${input}}`;
}
