/** The file that sets channels up: references, and one line for each problem that never holds a secret. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadChannels } from './load-channels.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-channels-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'channels.yaml');

async function problemsOf(text: string, variables: Record<string, string> = {}): Promise<readonly string[]> {
  writeFileSync(path, text);
  const result = await loadChannels(path, variables);
  return result.ok ? [] : result.problems.map((line) => line.replace(`${path}: `, ''));
}

const SLACK = 'slack:\n  - botToken: env:BOT\n    signingSecret: env:SIGNING\n    channel: C1\n';

describe('loadChannels', () => {
  it('needs no file', async () => {
    const result = await loadChannels(join(folder, 'nothing.yaml'), {});
    expect(result).toEqual({ ok: true, loaded: { channels: { slack: [], webhook: [], email: [] }, consoleUrl: null } });
  });

  it('misses a file that is named', async () => {
    const nothing = join(folder, 'nothing.yaml');
    const result = await loadChannels(nothing, {}, { named: true });
    expect(result).toEqual({ ok: false, problems: [`${nothing}: there is no such file`] });
    const problems = [`${folder}: this is a folder, not a file`];
    expect(await loadChannels(folder, {}, { named: true })).toEqual({ ok: false, problems });
    expect(await loadChannels(folder, {})).toEqual({ ok: false, problems });
  });

  it('fills in references and defaults', async () => {
    writeFileSync(path, `consoleUrl: https://cs.example/\n${SLACK}`);
    const result = await loadChannels(path, { BOT: 'xoxb-secret-1', SIGNING: 'signing-secret' });
    expect(result).toMatchObject({
      ok: true,
      loaded: {
        consoleUrl: 'https://cs.example',
        channels: {
          slack: [{ tenantId: 'default', botToken: 'xoxb-secret-1', signingSecret: 'signing-secret', appToken: null }],
        },
      },
    });
  });

  it('says in one line each what is wrong, and never the value', async () => {
    const secret = `whsec_${'A'.repeat(32)}`;
    const hook = (name: string, url: string) => `  - {name: ${name}, url: "${url}", secrets: [${secret}]}\n`;
    const cases: [string, RegExp[]][] = [
      [
        SLACK,
        [/^slack.0.botToken: the variable BOT is not set$/, /^slack.0.signingSecret: the variable SIGNING is not set$/],
      ],
      ['slack: [', [/^line 1 is no YAML$/]],
      ['- a', [/^must hold/]],
      ['teams: []', [/Unrecognized key/]],
      [`webhook:\n${hook('Relay', 'https://a.example')}`, [/^webhook.0.name: must be 1 to 64/]],
      [`webhook:\n${hook('a', 'http://a.example')}`, [/^webhook.0.url: must begin with https/]],
      [
        `webhook:\n${hook('a', 'https://a.example')}${hook('b', 'https://b.example')}`,
        [/^webhook: has a secret twice$/],
      ],
      [
        'webhook:\n  - {name: a, url: "https://a.example", secrets: [hunter2hunter2]}',
        [/^webhook.0.secrets.0: must be `whsec_`/],
      ],
      [
        'email:\n  - {host: mail.example, from: cs@a.example, to: [ann@a.example]}',
        [/^consoleUrl: is needed for email/],
      ],
      [
        'email:\n  - {host: mail.example, from: cs, to: []}\nconsoleUrl: https://a.example',
        [/^email.0.from: /, /^email.0.to: /],
      ],
      ['consoleUrl: ftp://a.example', [/^consoleUrl: must begin with/]],
    ];
    for (const [text, expected] of cases) {
      const problems = await problemsOf(text);
      expect([text, problems.length]).toEqual([text, expected.length]);
      expected.forEach((line, index) => expect(problems[index]).toMatch(line));
      expect(problems.join('\n')).not.toMatch(/AAAA|hunter2/);
    }
  });
});
