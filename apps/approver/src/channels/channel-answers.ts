/** An answer that came over a channel: whose it is, whether it counts, and the one sentence that tells how it went. */
import type { AskCard } from '@countersign/approval';
import { DoorError, type Answerer, type AnswerBody, type AskView, type Channel } from '@countersign/contracts';
import type { PersonView } from '@countersign/ledger';
import { answerAsk, type AnswerDeps, type AnswerResult } from '../asks/answer-ask.js';
import { keepRefusal } from '../asks/keep-refusal.js';
import { keepUnknown } from '../asks/keep-unknown.js';
import { endText } from './dispatch/end-text.js';

export type ChannelAnswerDeps = AnswerDeps;

/** Who answered, as the channel knows them. */
export interface ChannelIdentity {
  readonly tenantId: string;
  readonly channel: Channel;
  readonly provider: string;
  readonly externalId: string;
}

/** A program that answers for itself, by the name that it has in the settings. */
export interface ChannelProgram {
  readonly tenantId: string;
  readonly channel: Channel;
  readonly program: string;
}

/** `card`: the ask as the channel showed it; what it did not show whole cannot be approved there. */
export interface ChannelAnswer {
  readonly askId: string;
  readonly body: AnswerBody;
  readonly card: (ask: AskView) => AskCard;
}

/** `ask` null: there is no such ask. `text` is for whoever answered, and for nobody else. */
export interface ChannelAnswerResult {
  readonly accepted: boolean;
  readonly text: string;
  readonly ask: AskView | null;
}

/** As `answerOverChannel`, with the sentence in place of the error: for channels where people read what became of their answer. */
export async function answerByIdentity(
  deps: ChannelAnswerDeps,
  identity: ChannelIdentity,
  given: ChannelAnswer,
): Promise<ChannelAnswerResult> {
  try {
    const { ask } = await answerOverChannel(deps, identity, given);
    return { accepted: true, text: endText(ask), ask };
  } catch (error) {
    if (!(error instanceof DoorError)) throw error;
    const ask = await deps.ledger.asks.get(identity.tenantId, given.askId);
    return { accepted: false, text: refusalText(error, ask), ask };
  }
}

/**
 * Takes an answer of somebody on a channel, or throws the DoorError that says why not; what is refused is kept. INVARIANT: the
 * person, the groups and the role are read now, not when the card was sent; the same answer again changes nothing.
 */
export async function answerOverChannel(
  deps: ChannelAnswerDeps,
  who: ChannelIdentity | ChannelProgram,
  { askId, body, card }: ChannelAnswer,
): Promise<AnswerResult> {
  const { tenantId } = who;
  const found = await deps.ledger.asks.getWhole(tenantId, askId);
  if (found === null) return keepUnknown(deps.ledger, { tenantId, askId, answer: body.answer, by: nameOf(who) });
  const ask = found.view;
  const answerer = 'program' in who ? programOf(who) : await personOf(deps, who);
  const refusal = answerer.refusal ?? unseenRefusal(ask, body, card);
  if (refusal !== null) {
    await keepRefusal(deps.ledger, { ask, tenantId, answer: body.answer, by: answerer.by, code: refusal.code });
    throw refusal;
  }
  const { by, groups, program } = answerer;
  return answerAsk(deps, { tenantId, askId, found, body, by, groups: async () => groups, ...program });
}

interface ChannelAnswerer {
  readonly by: Answerer;
  readonly groups: readonly string[];
  readonly program: { readonly program?: string };
  /** Null: so far nothing speaks against the answer. */
  readonly refusal: DoorError | null;
}

/** Whoever it is as the channel knows them, before anybody looked them up. */
function nameOf(who: ChannelIdentity | ChannelProgram): Answerer {
  const personName = 'program' in who ? `program:${who.program}` : `${who.provider}:${who.externalId}`;
  return { channel: who.channel, personId: null, personName };
}

/** A program answers under its own name, so that two of them are never taken for one. */
export function programAnswerer({ channel, program }: Pick<ChannelProgram, 'channel' | 'program'>): Answerer {
  const name = `program:${program}`;
  return { channel, personId: name, personName: name };
}

function programOf(who: ChannelProgram): ChannelAnswerer {
  return { by: programAnswerer(who), groups: [], program: { program: who.program }, refusal: null };
}

/** Somebody whom nobody linked to a person is kept under the identity that the channel gave. */
async function personOf(deps: ChannelAnswerDeps, identity: ChannelIdentity): Promise<ChannelAnswerer> {
  const { tenantId, channel, provider, externalId } = identity;
  const person = await deps.ledger.people.byIdentity(tenantId, identity);
  if (person === null) {
    const by = { channel, personId: null, personName: `${provider}:${externalId}` };
    const message = `${provider} user ${externalId} is not linked to a person who may answer`;
    return { by, groups: [], program: {}, refusal: new DoorError('ask.not_approver', message) };
  }
  const by = { channel, personId: person.id, personName: person.name };
  const wrongRole = new DoorError('auth.wrong_role', 'you do not have the role of an approver');
  return { by, groups: person.groups, program: {}, refusal: hasApproverRole(person) ? null : wrongRole };
}

function hasApproverRole({ roles }: PersonView): boolean {
  return roles.includes('approver') || roles.includes('admin');
}

function unseenRefusal(ask: AskView, { answer }: AnswerBody, card: ChannelAnswer['card']): DoorError | null {
  if (answer !== 'approve' || ask.status !== 'open' || card(ask).approvable) return null;
  return new DoorError('ask.reject_only', 'it is too long to be shown whole here; open the page to approve it');
}

function refusalText(error: DoorError, ask: AskView | null): string {
  if (ask === null) return 'There is no such question.';
  if (ask.status !== 'open') return `Your answer came too late. ${endText(ask)}`;
  return `Your answer was not taken: ${error.message}.`;
}
