/** What Slack says that somebody did with a card: a press of a button, or a submitted dialog. Everything else is nothing to us. */
import { z } from 'zod';
import { readPressValue, SLACK_ACTIONS } from './blocks.js';
import { SLACK_MODAL } from './modal.js';

const userSchema = z.object({ id: z.string().max(64), team_id: z.string().max(64).optional() });
const teamSchema = z.object({ id: z.string().max(64) }).nullish();

const blockActionsSchema = z.object({
  type: z.literal('block_actions'),
  user: userSchema,
  team: teamSchema,
  trigger_id: z.string().max(1_000).optional(),
  channel: z.object({ id: z.string().max(64) }).optional(),
  container: z.object({ channel_id: z.string().max(64).optional() }).optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});

const viewSubmissionSchema = z.object({
  type: z.literal('view_submission'),
  user: userSchema,
  team: teamSchema,
  view: z.object({ callback_id: z.string(), private_metadata: z.string(), state: z.unknown() }),
});

/** Who did it, as Slack knows them: the workspace and the user. */
export interface SlackUser {
  readonly teamId: string;
  readonly userId: string;
}

export type Interaction =
  | {
      readonly kind: 'press';
      readonly user: SlackUser;
      readonly action: 'approve' | 'reject' | 'details';
      readonly askId: string;
      readonly version: number;
      readonly channelId: string | null;
      readonly triggerId: string | null;
    }
  | { readonly kind: 'submit'; readonly user: SlackUser; readonly privateMetadata: string; readonly state: unknown }
  | { readonly kind: 'other' };

const ACTIONS: Readonly<Record<string, 'approve' | 'reject' | 'details'>> = {
  [SLACK_ACTIONS.approve]: 'approve',
  [SLACK_ACTIONS.reject]: 'reject',
  [SLACK_ACTIONS.details]: 'details',
};

/** Total: what is not understood is `other`, which is acknowledged and left alone. */
export function readInteraction(payload: unknown): Interaction {
  const press = blockActionsSchema.safeParse(payload);
  if (press.success) return readPress(press.data);
  const submit = viewSubmissionSchema.safeParse(payload);
  if (!submit.success || submit.data.view.callback_id !== SLACK_MODAL) return { kind: 'other' };
  const { view } = submit.data;
  return { kind: 'submit', user: userOf(submit.data), privateMetadata: view.private_metadata, state: view.state };
}

function readPress(payload: z.infer<typeof blockActionsSchema>): Interaction {
  const pressed = payload.actions.flatMap(({ action_id, value }) => {
    const action = ACTIONS[action_id];
    const at = readPressValue(value ?? '');
    return action === undefined || at === null ? [] : [{ action, ...at }];
  });
  const [first] = pressed;
  if (first === undefined) return { kind: 'other' };
  const channelId = payload.channel?.id ?? payload.container?.channel_id ?? null;
  return { kind: 'press', user: userOf(payload), ...first, channelId, triggerId: payload.trigger_id ?? null };
}

/** The user's own workspace where it is told: on shared channels it is not the card's. */
function userOf({ user, team }: { user: z.infer<typeof userSchema>; team?: z.infer<typeof teamSchema> }): SlackUser {
  return { teamId: user.team_id ?? team?.id ?? '', userId: user.id };
}
