/** Arguments that a person put in the place of the agent's: checked, judged, and made fit to be stored. */
import { createHash } from 'node:crypto';
import { canonicalJson, DoorError, readStrictJson, toCallArguments, type CallArguments } from '@countersign/contracts';
import type { EditedInput } from '@countersign/approval';
import type { VaultEntry } from '@countersign/ledger';
import { createRedactor } from '@countersign/redaction';
import type { VaultKeys } from '@countersign/server';
import { judgeEdited, type SceneNow } from './ask-scene.js';

export interface PreparedEdit {
  readonly edited: EditedInput;
  /** As they were judged, secrets and all: not to be stored. */
  readonly judged: CallArguments;
  /** The sealed original, when the stored form is redacted. */
  readonly vault: readonly VaultEntry[];
}

const REDACTED = '[redacted:';

/** Throws a DoorError for arguments that no agent could have sent either, and for markers of redaction sent back as text. */
export function prepareEdit(
  vaultKeys: VaultKeys,
  { tenantId, scene }: { readonly tenantId: string; readonly scene: SceneNow },
  input: Readonly<Record<string, unknown>>,
): PreparedEdit {
  const text = JSON.stringify(input);
  if (text.includes(REDACTED)) {
    throw new DoorError('request.invalid', 'the edited arguments hold a redaction marker in the place of a secret');
  }
  const sha256 = (part: string): string => createHash('sha256').update(part).digest('hex');
  // Not every channel hands over the text that was written: a number that lost digits on its way is still beyond what is exact.
  const read = readStrictJson(text);
  if (!read.ok) throw new DoorError('request.invalid', `the edited arguments are not valid: ${read.problem}`);
  const args = toCallArguments({ value: input, problem: null, rawText: () => text }, sha256);
  if (args.state === 'invalid')
    throw new DoorError('request.invalid', `the edited arguments are not valid: ${args.problem}`);
  const { effect, ruleId, reason } = judgeEdited(scene, args);
  const redactor = createRedactor(vaultKeys.tag);
  const clean = redactor.json(input);
  const said = { effect, ruleId, reason: redactor.text(reason) };
  if (clean === input) return { edited: { args, ...said }, judged: args, vault: [] };
  const { callId } = scene.opened.request;
  const sealed = vaultKeys.seal({ tenantId, callId, kind: 'edited-arguments' }, args.json);
  return { edited: { args: { ...args, json: canonicalJson(clean) }, ...said }, judged: args, vault: [sealed] };
}
