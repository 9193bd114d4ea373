/** The dialog behind "With reason or scope…": answer, scope, reason and, for an approval, edited arguments. */
import type { AskCard } from '@countersign/approval';
import {
  ANSWER_SCOPES,
  answerBodySchema,
  jsonProblemText,
  readStrictJson,
  type AnswerBody,
} from '@countersign/contracts';
import type { ModalView, PlainTextOption } from '@slack/web-api';
import { z } from 'zod';
import { readPressValue, pressValue } from './blocks.js';
import { SLACK_LIMITS } from './limits.js';

export const SLACK_MODAL = 'countersign_answer';

const SCOPE_TEXT = { once: 'This call only', session: 'This session', always: 'Always' } as const;
const FIELDS = { answer: 'answer', scope: 'scope', reason: 'reason', input: 'input' } as const;

/** `argsJson` null: the arguments are too long to be edited here, or not shown whole. */
export function answerModal(card: AskCard, approvable: boolean, argsJson: string | null): ModalView {
  const editable = approvable && argsJson !== null && argsJson.length <= SLACK_LIMITS.inputInitial;
  return {
    type: 'modal',
    callback_id: SLACK_MODAL,
    private_metadata: pressValue(card.askId, card.version),
    title: plain('Answer'),
    submit: plain('Send'),
    close: plain('Back'),
    blocks: [
      { type: 'section', text: plain(card.title) },
      choice(FIELDS.answer, 'Answer', approvable ? [option('approve', 'Approve'), reject()] : [reject()]),
      choice(
        FIELDS.scope,
        'If approved, for',
        ANSWER_SCOPES.map((scope) => option(scope, SCOPE_TEXT[scope])),
      ),
      text(FIELDS.reason, 'Reason, told to the agent', { max: 2_000 }),
      ...(editable ? [text(FIELDS.input, 'Arguments to run instead, as JSON', { max: 3_000, initial: argsJson })] : []),
    ],
  };
}

const stateSchema = z.object({
  values: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        value: z.string().nullish(),
        selected_option: z.object({ value: z.string() }).nullish(),
      }),
    ),
  ),
});

/** What a submitted dialog says; `problems` by block id, in Slack's own form of field errors. */
export type ReadModal =
  | { readonly ok: true; readonly askId: string; readonly body: AnswerBody }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

/** `shownInput`: the arguments as the dialog offered them; unchanged ones are no edit. */
export function readModal(privateMetadata: string, state: unknown, shownInput: string | null): ReadModal {
  const at = readPressValue(privateMetadata);
  const parsed = stateSchema.safeParse(state);
  if (at === null || !parsed.success)
    return { ok: false, problems: { [FIELDS.answer]: 'this dialog is not readable' } };
  const fields = fieldsOf(parsed.data);
  const input = editedInput(fields.input, shownInput);
  if (!input.ok) return { ok: false, problems: { [FIELDS.input]: input.problem } };
  const { answer, scope, reason } = fields;
  const body = answerBodySchema.safeParse({ answer, scope, reason, version: at.version, ...input.field });
  if (!body.success) return { ok: false, problems: { [FIELDS.answer]: 'choose an answer' } };
  return { ok: true, askId: at.askId, body: body.data };
}

/** What was chosen and written; an absent or empty field is undefined. */
function fieldsOf({ values }: z.infer<typeof stateSchema>) {
  const chosen = (name: string) => values[name]?.[name]?.selected_option?.value;
  const written = (name: string) => values[name]?.[name]?.value || undefined;
  return {
    answer: chosen(FIELDS.answer),
    scope: chosen(FIELDS.scope) ?? 'once',
    reason: written(FIELDS.reason),
    input: written(FIELDS.input),
  };
}

type EditedInput =
  | { readonly ok: true; readonly field: { updatedInput?: Record<string, unknown> } }
  | { readonly ok: false; readonly problem: string };

function editedInput(written: string | undefined, shown: string | null): EditedInput {
  if (written === undefined || written.trim() === '' || written === shown) return { ok: true, field: {} };
  const read = readStrictJson(written);
  if (!read.ok) {
    const flaw = `has a flaw: ${jsonProblemText(read.problem)}`;
    return { ok: false, problem: read.problem === 'malformed' ? 'is not JSON' : flaw };
  }
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'must be a JSON object' };
  }
  return { ok: true, field: { updatedInput: value as Record<string, unknown> } };
}

function plain(words: string) {
  return { type: 'plain_text', text: words, emoji: false } as const;
}

function option(value: string, words: string): PlainTextOption {
  return { value, text: plain(words) };
}

function reject(): PlainTextOption {
  return option('reject', 'Reject');
}

function choice(name: string, label: string, options: PlainTextOption[]) {
  const [first] = options;
  return {
    type: 'input',
    block_id: name,
    label: plain(label),
    element: { type: 'radio_buttons', action_id: name, options, ...(first ? { initial_option: first } : {}) },
  } as const;
}

function text(name: string, label: string, { max, initial }: { max: number; initial?: string | null }) {
  const start = initial === undefined || initial === null ? {} : { initial_value: initial };
  return {
    type: 'input',
    block_id: name,
    optional: true,
    label: plain(label),
    element: { type: 'plain_text_input', action_id: name, multiline: true, max_length: max, ...start },
  } as const;
}
