/** The people's door: asks and answers, the live line, the page, people, keys, policies and the log. */
export { channelSettingsSchema, type ChannelSettings } from './channels/settings.js';
export type { ApproverConfig } from './config.js';
export { createSignInCode, type SignInCodeInput } from './sign-in/sign-in-code.js';
export { startApprover, type ApproverDeps, type RunningApprover } from './start-approver.js';
