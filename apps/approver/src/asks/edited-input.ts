/** Arguments that a person put in the place of the agent's: checked, judged, and made fit to be stored. */
import { createHash } from 'node:crypto';
import { canonicalJson, DoorError, toCallArguments, type AskView } from '@countersign/contracts';
import type { EditedInput } from '@countersign/approval';
import type { Ledger, VaultEntry } from '@countersign/ledger';
import { createRedactor } from '@countersign/redaction';
import type { VaultKeys } from '@countersign/server';
import { judgeEdited } from './ask-scene.js';

export interface PreparedEdit {
  readonly edited: EditedInput;
  /** The sealed original, when the stored form is redacted. */
  readonly vault: readonly VaultEntry[];
}

const REDACTED = '[redacted:';

/** Throws a DoorError for arguments that no agent could have sent either, and for markers of redaction sent back as text. */
export async function prepareEdit(
  { ledger, vaultKeys }: { readonly ledger: Ledger; readonly vaultKeys: VaultKeys },
  place: { readonly tenantId: string; readonly ask: AskView },
  input: Readonly<Record<string, unknown>>,
): Promise<PreparedEdit> {
  const text = JSON.stringify(input);
  if (text.includes(REDACTED)) {
    throw new DoorError('request.invalid', 'the edited arguments hold a redaction marker in the place of a secret');
  }
  const sha256 = (part: string): string => createHash('sha256').update(part).digest('hex');
  const args = toCallArguments({ value: input, problem: null, rawText: () => text }, sha256);
  if (args.state === 'invalid')
    throw new DoorError('request.invalid', `the edited arguments are not valid: ${args.problem}`);
  const { tenantId, ask } = place;
  const { effect, ruleId, reason } = await judgeEdited(ledger, tenantId, ask, args);
  const redactor = createRedactor(vaultKeys.tag);
  const clean = redactor.json(input);
  const said = { effect, ruleId, reason: redactor.text(reason) };
  if (clean === input) return { edited: { args, ...said }, vault: [] };
  const sealed = vaultKeys.seal({ tenantId, callId: ask.callId, kind: 'edited-arguments' }, args.json);
  return { edited: { args: { ...args, json: canonicalJson(clean) }, ...said }, vault: [sealed] };
}
