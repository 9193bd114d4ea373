/** What a family of sessions must do, told from the rules alone: it knows nothing of the product's own code. */

/** The limits that the model and the published policy share. */
export const LIMITS = { inARow: 3, total: 12, maxRepeats: 3 } as const;

export type CallKind = 'allowed' | 'denied' | 'asked';

/** What a call must be answered. `ruleIds`: any of these may be named, since several things may hold at once. */
export interface Prediction {
  readonly decision: 'allow' | 'deny' | 'pending';
  readonly ruleIds: readonly string[];
  readonly stop: boolean;
}

/** One session as the model has it. */
export interface ModelSession {
  readonly id: string;
  readonly parent: ModelSession | null;
  started: boolean;
  cancelled: boolean;
  stopped: boolean;
  killed: boolean;
  breakerOpen: boolean;
  inARow: number;
  total: number;
  last: { text: string; run: number } | null;
  /** Ask ids that wait for people. */
  openAsks: string[];
  counts: { allowed: number; denied: number; asked: number };
}

export function newSession(id: string, parent: ModelSession | null): ModelSession {
  const counts = { allowed: 0, denied: 0, asked: 0 };
  const calm = { started: false, cancelled: false, stopped: false, killed: false, breakerOpen: false };
  return { id, parent, ...calm, inARow: 0, total: 0, last: null, openAsks: [], counts };
}

function above(session: ModelSession): ModelSession[] {
  return session.parent === null ? [] : [...above(session.parent), session.parent];
}

/** What holds the session, by the names that answers give it. A session's own stop ends with its next call. */
function holders(session: ModelSession): string[] {
  const line = [...above(session), session];
  return [
    ...(line.some(({ killed }) => killed) ? ['guard.killed'] : []),
    ...(line.some(({ cancelled }) => cancelled) ? ['guard.cancelled'] : []),
    ...(above(session).some(({ stopped }) => stopped) ? ['guard.stopped'] : []),
    ...(line.some(({ breakerOpen }) => breakerOpen) ? ['guard.breaker'] : []),
  ];
}

/** `text` tells identical calls from others. Changes the model as the call must change the service. */
export function predictCall(session: ModelSession, kind: CallKind, text: string): Prediction {
  start(session);
  session.stopped = false;
  const held = holders(session);
  if (held.length > 0) {
    session.counts.denied += 1;
    return { decision: 'deny', ruleIds: held, stop: held.some((rule) => rule !== 'guard.killed') };
  }
  const run = session.last?.text === text ? session.last.run + 1 : 1;
  session.last = { text, run };
  if (run >= LIMITS.maxRepeats) return deny(session, 'guard.duplicate_call');
  if (kind === 'denied') return deny(session, `deny:Bash(git push *)`);
  if (kind === 'asked') {
    session.counts.asked += 1;
    return { decision: 'pending', ruleIds: ['ask:Bash(make *)'], stop: false };
  }
  session.counts.allowed += 1;
  session.inARow = 0;
  return { decision: 'allow', ruleIds: ['command.read_only'], stop: false };
}

/** A session below another one opens that one first. */
function start(session: ModelSession): void {
  session.started = true;
  if (session.parent !== null) start(session.parent);
}

function deny(session: ModelSession, ruleId: string): Prediction {
  session.counts.denied += 1;
  return { decision: 'deny', ruleIds: [ruleId], stop: countDenial(session) };
}

/** A denial that counts; true: it opened the session's own breaker. */
function countDenial(session: ModelSession): boolean {
  session.inARow += 1;
  session.total += 1;
  const opens = session.inARow >= LIMITS.inARow || session.total >= LIMITS.total;
  if (opens) open(session);
  const [root] = above(session);
  if (root !== undefined && !root.breakerOpen) {
    root.total += 1;
    if (root.total >= LIMITS.total) open(root);
  }
  return opens;
}

function open(session: ModelSession): void {
  session.breakerOpen = true;
}

/** The session's open asks and those of every session below it come to their end as cancelled. */
export function endAsks(sessions: readonly ModelSession[], ended: ModelSession): void {
  for (const session of sessions) {
    if (session !== ended && !above(session).includes(ended)) continue;
    session.counts.denied += session.openAsks.length;
    session.openAsks = [];
  }
}

export type AnswerKind = 'approve' | 'reject' | 'cancel';

/** What an answer to an open ask of the session must get: 200, or 423 while a kill switch holds it. */
export function predictAnswer(session: ModelSession, askId: string, answer: AnswerKind): 200 | 423 {
  const frozen = [...above(session), session].some(({ killed }) => killed);
  if (frozen && answer === 'approve') return 423;
  session.openAsks = session.openAsks.filter((id) => id !== askId);
  if (answer === 'approve') {
    session.counts.allowed += 1;
    session.inARow = 0;
    return 200;
  }
  session.counts.denied += 1;
  if (answer === 'reject') countDenial(session);
  return 200;
}

export function cancel(session: ModelSession): void {
  session.cancelled = true;
}

export function stop(session: ModelSession): void {
  session.stopped = true;
  session.cancelled = false;
  session.last = null;
}

export function reset(session: ModelSession): void {
  session.breakerOpen = false;
  session.inARow = 0;
  session.total = 0;
}
