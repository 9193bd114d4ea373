/** What Slack takes, from its documentation; `blocks.ts` keeps below all of it. */
export const SLACK_LIMITS = {
  blocks: 50,
  text: 3_000,
  header: 150,
  button: 75,
  actionId: 255,
  value: 2_000,
  url: 3_000,
  modalTitle: 24,
  privateMetadata: 3_000,
  inputInitial: 3_000,
  option: 75,
} as const;

/** A section stays below Slack's limit with room for its label. */
export const SLACK_CARD = { section: 2_800, sections: 20 } as const;
