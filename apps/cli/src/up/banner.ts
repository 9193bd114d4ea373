/** What `up` tells the person who started it. */
import { claudeCodeSettings } from './claude-code-settings.js';
import type { Endpoints } from '../home/endpoints.js';

export interface BannerFacts {
  readonly home: string;
  readonly endpoints: Endpoints;
  readonly signInUrl: string;
  /** Where the data is and how the work is shared, in a few words. */
  readonly database: string;
  readonly queue: string;
  readonly settingsFile: string;
  readonly logFile: string;
}

/** Where it listens, how to sign in, and the lines that connect Claude Code. */
export function banner(facts: BannerFacts): string {
  const { endpoints } = facts;
  return `
Countersign is running in one process (${facts.database}; ${facts.queue}). Ctrl-C stops it.

  agents     ${endpoints.gateway}
  people     ${endpoints.console}
  sign in    ${facts.signInUrl}   (once, within 10 minutes)
  agent key  ${endpoints.agentKey}
  all keys   ${facts.home}/endpoints.json
  log        ${facts.logFile}

Connect Claude Code:
  1. put this into ~/.claude/settings.json (it is also in ${facts.settingsFile}):
     ${JSON.stringify(claudeCodeSettings(endpoints.gateway))}
  2. export COUNTERSIGN_TOKEN=${endpoints.agentKey}
  3. claude
`;
}
