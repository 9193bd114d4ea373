import { describe, expect, it } from '@jest/globals';
import type { SessionCommand } from '@countersign/approval';
import type { Grant, SessionOpening } from '@countersign/contracts';
import { createRedactor } from '@countersign/redaction';
import { redactCommand, redactTenantCommand } from './redact-command.js';

const token = `ghp_${'a1B2'.repeat(9)}`;
const redactor = () => createRedactor(() => '0123456789ab');
const marker = '[redacted:github-token:0123456789ab]';
const opening: SessionOpening = {
  agent: 'a',
  parentId: null,
  policy: 'default',
  mode: 'default',
  cwd: '/srv',
  roots: ['/srv'],
  silent: false,
  tools: null,
  labels: {},
  home: null,
};
const open = (more: Partial<SessionOpening>): SessionCommand => ({
  type: 'OpenSession',
  sessionId: 's',
  keyId: 'k',
  rootId: 's',
  opening: { ...opening, ...more },
});
const rule = {
  id: 'r',
  effect: 'deny' as const,
  pattern: `Bash(curl ${token})`,
  source: 'session' as const,
  reason: '',
  order: 0,
  match: [],
  notMatch: [],
};

describe('commands on their way into the ledger', () => {
  it('keep their words without secrets', () => {
    const command: SessionCommand = { type: 'CancelSession', reason: `leaked ${token}`, by: 'k' };
    expect(redactCommand(command, redactor())).toEqual({
      ok: true,
      command: { ...command, reason: `leaked ${marker}` },
    });
    const labelled = redactCommand(open({ labels: { why: token } }), redactor());
    expect(labelled).toMatchObject({ ok: true, command: { opening: { labels: { why: marker }, cwd: '/srv' } } });
  });

  it('are the same when nothing is secret', () => {
    const command: SessionCommand = { type: 'ReportEvent', kind: 'note', detail: 'all is well' };
    expect(redactCommand(command, redactor())).toEqual({ ok: true, command });
  });

  it('are refused where a secret cannot be replaced without changing what it means', () => {
    const refused = { ok: false, message: expect.stringContaining('must not hold a secret') };
    expect(redactCommand(open({ cwd: `/srv/${token}` }), redactor())).toEqual(refused);
    expect(redactCommand({ type: 'ChangeRules', added: [rule], removed: [], by: 'k' }, redactor())).toEqual(refused);
    const grant = { pattern: `Bash(mysql -p${marker} *)` } as Grant;
    expect(redactTenantCommand({ type: 'CreateGrant', grant }, redactor())).toEqual(refused);
  });
});
