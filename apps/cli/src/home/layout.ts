/** Where things lie in the home folder. */
import { join } from 'node:path';

/** Absolute paths below one home folder. */
export interface HomeLayout {
  readonly home: string;
  /** Held by the one `up` of this home; holds its process id. */
  readonly lock: string;
  /** Seal key, cookie secret and database passwords, made once. */
  readonly secrets: string;
  readonly endpoints: string;
  readonly policy: string;
  /** Which hooks run around calls; may be missing. */
  readonly hooks: string;
  /** Which channels are set up; may be missing. */
  readonly channels: string;
  /** SHA-256 of the policy file that was published last. */
  readonly policyPublished: string;
  readonly postgres: string;
  /** Hooks for Claude Code's settings; holds no secret. */
  readonly claudeCode: string;
  readonly log: string;
}

export function homeLayout(home: string): HomeLayout {
  return {
    home,
    lock: join(home, 'up.lock'),
    secrets: join(home, 'secrets.json'),
    endpoints: join(home, 'endpoints.json'),
    policy: join(home, 'policy.yaml'),
    hooks: join(home, 'hooks.yaml'),
    channels: join(home, 'channels.yaml'),
    policyPublished: join(home, 'policy.published'),
    postgres: join(home, 'postgres'),
    claudeCode: join(home, 'claude-code.json'),
    log: join(home, 'countersign.log'),
  };
}
