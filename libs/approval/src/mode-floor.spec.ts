import { describe, expect, it } from '@jest/globals';
import { MODES, sessionEventSchema, type Mode } from '@countersign/contracts';
import { call, policy, Session } from './fixtures/builders.js';
import { effectiveMode } from './facts.js';
import { replay } from './evolve.js';

const started = (): Session => {
  const session = new Session();
  session.call('allow');
  return session;
};
const byPerson = (session: Session, mode: Mode) =>
  session.command({ type: 'SetMode', mode, by: 'Mira', byPerson: true });
const byAgent = (session: Session, mode: Mode) => session.command({ type: 'SetMode', mode, by: 'k1' });

/** Person's mode -> the modes that the agent may choose after that. */
const OPEN: Readonly<Record<Mode, readonly Mode[]>> = {
  plan: ['plan'],
  dontAsk: ['dontAsk'],
  custom: ['custom'],
  default: ['default', 'plan', 'dontAsk', 'custom'],
  acceptEdits: ['default', 'acceptEdits', 'plan', 'dontAsk', 'custom'],
  auto: ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'custom'],
  bypassPermissions: MODES,
};

describe('a mode that a person set', () => {
  it.each(MODES)('holds against the agent: %s', (floor) => {
    for (const mode of MODES) {
      const session = started();
      byPerson(session, floor);
      const open = OPEN[floor].includes(mode);
      expect([mode, byAgent(session, mode).ok]).toEqual([mode, open]);
      expect(session.state.mode).toBe(open ? mode : floor);
    }
  });

  it('is told to the agent that wants a looser one', () => {
    const session = started();
    byPerson(session, 'plan');
    const message = 'a person set this session to the mode `plan`';
    expect(byAgent(session, 'default')).toEqual({ ok: false, code: 'auth.loosens', message });
  });

  it('holds after the agent went on to a stricter one', () => {
    const session = started();
    byPerson(session, 'default');
    byAgent(session, 'plan');
    expect(byAgent(session, 'acceptEdits').ok).toBe(false);
    expect(byAgent(session, 'default').ok).toBe(true);
  });

  it('holds from when the person set it, also where it was the mode already, and through a stop', () => {
    const session = started();
    expect(byPerson(session, 'default')).toMatchObject({ events: [{ type: 'SessionModeChanged' }] });
    expect(byPerson(session, 'default')).toEqual({ ok: true, events: [] });
    session.command({ type: 'StopSession', reason: '', by: 'k1' });
    session.call('allow');
    expect(byAgent(session, 'acceptEdits').ok).toBe(false);
    expect(replay(session.events)).toEqual(session.state);
    for (const event of session.events) expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  it('is loosened by a person alone', () => {
    const session = started();
    byPerson(session, 'plan');
    byPerson(session, 'acceptEdits');
    expect(byAgent(session, 'acceptEdits').ok).toBe(true);
    expect(byAgent(session, 'bypassPermissions').ok).toBe(false);
  });

  it('holds against the mode that the agent’s own hook reports', () => {
    const session = started();
    byPerson(session, 'plan');
    const reported = call({ mode: 'acceptEdits' });
    expect(effectiveMode(session.state, reported, policy())).toBe('plan');
    session.call('allow', { call: reported });
    expect(session.state.mode).toBe('plan');
    expect(effectiveMode({ ...session.state, mode: 'custom', modeFloor: null }, reported, policy())).toBe('custom');
  });

  it('is passed over when the agent cycles', () => {
    const session = started();
    byPerson(session, 'default');
    const order = ['default', 'acceptEdits', 'dontAsk', 'plan'] as const;
    const modes = [1, 2, 3].map(() => {
      session.command({ type: 'NextMode', order, by: 'k1' });
      return session.state.mode;
    });
    expect(modes).toEqual(['dontAsk', 'plan', 'default']);
    byPerson(session, 'plan');
    expect(session.command({ type: 'NextMode', order, by: 'k1' })).toEqual({ ok: true, events: [] });
    session.command({ type: 'NextMode', order, by: 'Mira', byPerson: true });
    expect(session.state).toMatchObject({ mode: 'default', modeFloor: 'default' });
  });
});

it('before a person set one, the agent moves as the policy lets it', () => {
  const session = started();
  for (const mode of ['plan', 'acceptEdits', 'default'] as const) expect(byAgent(session, mode).ok).toBe(true);
});
