/** What Slack's servers refuse in messages and views, as its documentation states the limits. */

type Json = Record<string, unknown>;

const MAX = { blocks: 50, modalBlocks: 100, section: 3_000, header: 150, button: 75, value: 2_000, id: 255, title: 24 };
const MAX_METADATA = 3_000;

/** Null for blocks that Slack takes, else what it would say. */
export function blocksProblem(blocks: unknown, most = MAX.blocks): string | null {
  if (!Array.isArray(blocks)) return 'blocks must be an array';
  if (blocks.length > most) return `no more than ${most} items allowed`;
  for (const block of blocks as Json[]) {
    const problem = blockProblem(block);
    if (problem !== null) return `${String(block['type'])}: ${problem}`;
  }
  return null;
}

/** Null for a view that Slack opens. */
export function viewProblem(view: unknown): string | null {
  const { type, title, submit, private_metadata: metadata, blocks } = view as Json;
  if (type !== 'modal') return 'unsupported type';
  if (tooLong(metadata, MAX_METADATA)) return 'private_metadata is too long';
  return (
    textProblem(title, MAX.title, ['plain_text']) ??
    textProblem(submit, MAX.title, ['plain_text']) ??
    blocksProblem(blocks, MAX.modalBlocks)
  );
}

function blockProblem(block: Json): string | null {
  if (tooLong(block['block_id'], MAX.id)) return 'block_id is too long';
  switch (block['type']) {
    case 'header':
      return textProblem(block['text'], MAX.header, ['plain_text']);
    case 'section':
      return textProblem(block['text'], MAX.section, ['plain_text', 'mrkdwn']);
    case 'context':
      return each(block['elements'], 10, (one) => textProblem(one, MAX.section, ['plain_text', 'mrkdwn']));
    case 'rich_text':
      return each(block['elements'], 100, richProblem);
    case 'actions':
      return each(block['elements'], 25, buttonProblem);
    case 'input':
      return textProblem(block['label'], 2_000, ['plain_text']) ?? inputProblem(block['element'] as Json);
    case 'divider':
      return null;
    default:
      return 'unsupported block type';
  }
}

function richProblem(element: Json): string | null {
  if (!['rich_text_section', 'rich_text_preformatted'].includes(String(element['type']))) return 'unsupported element';
  return each(element['elements'], 100, (one) =>
    one['type'] === 'text' && typeof one['text'] === 'string' && one['text'] !== '' && one['text'].length <= MAX.section
      ? null
      : 'text must be 1 to 3000 characters',
  );
}

function buttonProblem(button: Json): string | null {
  if (button['type'] !== 'button') return 'unsupported element';
  if (typeof button['action_id'] !== 'string' || tooLong(button['action_id'], MAX.id)) return 'bad action_id';
  if (tooLong(button['value'], MAX.value)) return 'value is too long';
  if (tooLong(button['url'], 3_000)) return 'url is too long';
  if (!['primary', 'danger', undefined].includes(button['style'] as string | undefined)) return 'bad style';
  return textProblem(button['text'], MAX.button, ['plain_text']);
}

function inputProblem(element: Json): string | null {
  if (tooLong(element['initial_value'], MAX.section)) return 'initial_value is too long';
  if (element['type'] === 'plain_text_input') return null;
  if (element['type'] !== 'radio_buttons') return 'unsupported element';
  const options = element['options'] as Json[];
  const initial = element['initial_option'];
  if (initial !== undefined && !options.some((one) => JSON.stringify(one) === JSON.stringify(initial))) {
    return 'initial_option is not among the options';
  }
  return each(options, 10, (one) =>
    tooLong(one['value'], MAX.button) ? 'value is too long' : textProblem(one['text'], MAX.button, ['plain_text']),
  );
}

function textProblem(text: unknown, max: number, types: readonly string[]): string | null {
  const { type, text: words } = (text ?? {}) as Json;
  if (!types.includes(String(type))) return `text must be ${types.join(' or ')}`;
  if (typeof words !== 'string' || words === '') return 'text must not be empty';
  return words.length > max ? `must be less than ${max + 1} characters` : null;
}

function each(items: unknown, most: number, check: (item: Json) => string | null): string | null {
  if (!Array.isArray(items) || items.length === 0) return 'must have elements';
  if (items.length > most) return `no more than ${most} elements`;
  for (const item of items as Json[]) {
    const problem = check(item);
    if (problem !== null) return problem;
  }
  return null;
}

function tooLong(text: unknown, max: number): boolean {
  return text !== undefined && (typeof text !== 'string' || text.length > max);
}
