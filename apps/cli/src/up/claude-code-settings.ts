/** The settings that connect Claude Code to a gateway. They hold no secret: the key comes from the agent's environment. */

/** Seconds that Claude Code waits for an answer: longer than any policy holds a hook, shorter than its own limit of 600. */
const WAIT_SECONDS = 590;
const GATES = ['PreToolUse', 'PermissionRequest'];
const REPORTS = ['PostToolUse', 'PostToolUseFailure'];

/** The `hooks` block of a Claude Code settings file, for the gateway at this base URL. */
export function claudeCodeSettings(gatewayUrl: string): Record<string, unknown> {
  const hook = {
    type: 'http',
    url: `${gatewayUrl}/hooks/claude-code`,
    headers: { Authorization: 'Bearer $COUNTERSIGN_TOKEN' },
    allowedEnvVars: ['COUNTERSIGN_TOKEN'],
  };
  // Without `onFailure` a gateway that cannot be reached would let the tool run.
  const gate = { ...hook, timeout: WAIT_SECONDS, onFailure: 'block', statusMessage: 'waiting for Countersign' };
  const entries = [
    ...GATES.map((event) => [event, [{ hooks: [gate] }]] as const),
    ...REPORTS.map((event) => [event, [{ hooks: [{ ...hook, timeout: 30 }] }]] as const),
  ];
  return { hooks: Object.fromEntries(entries) };
}
