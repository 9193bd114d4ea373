/** What the model is told about the limits of its run. A preset may have words of its own. */

/** Texts for the model; `cancelled` stands for the output of a call that was stopped. */
export interface RunNotices {
  readonly ended: string;
  readonly lastStep: string;
  readonly nothingNew: string;
  readonly outOfTokens: string;
  readonly makeRoom: string;
  readonly cancelled: string;
  /** One for each strength of a nudge, the weakest first. */
  readonly nudges: readonly [string, string, string];
}

/** Our own words. */
export const STANDARD_NOTICES: RunNotices = {
  ended: 'This run has ended. Stop here and call no more tools.',
  lastStep: 'No steps are left. Give your final answer now, from what you have; tools are not available any more.',
  nothingNew: 'The last steps brought nothing new. Answer now from what you have collected.',
  outOfTokens: 'The token budget is used up. Give your final answer now, from what you have.',
  makeRoom: 'The token budget is used up. Make the context smaller before you go on.',
  cancelled: 'The user cancelled this call.',
  nudges: [
    'More than the soft limit of tokens is used. Begin to sum up what you have found.',
    'Tokens are running low. Use only the tools that you cannot do without, and sum up.',
    'Hardly any tokens are left. Give your answer with the next step.',
  ],
};
