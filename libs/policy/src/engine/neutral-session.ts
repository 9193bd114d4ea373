/** The session that examples and specimens are judged in: nothing is held, granted or restricted. */
import type { SessionFacts } from '@countersign/contracts';

/** A session in mode `default` without roots, folder or home; what a judgement needs of these is put in. */
export const NEUTRAL_SESSION: SessionFacts = {
  sessionId: 'neutral',
  cancelled: false,
  stopped: false,
  breakerOpen: false,
  heldBy: null,
  mode: 'default',
  silent: false,
  subagent: false,
  tools: null,
  rules: [],
  grants: [],
  roots: [],
  cwd: null,
  home: null,
};
