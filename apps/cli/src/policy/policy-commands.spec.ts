/** The offline policy commands as a person or a script sees them: every line that they print, and how they end. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { main } from '../program.js';
import { analyse } from './analyse.js';
import { runCaseFiles } from './cases.js';
import { check } from './check.js';
import { diff } from './diff.js';
import { explainCall } from './explain.js';
import type { CallOptions } from './judge-call.js';
import type { Streams } from './streams.js';

const POLICY = `mode: default
deny:
  - { rule: 'Bash(git push --force *)', id: no-force, source: managed, reason: history is shared }
ask: ['Bash(git push *)']
allow: ['Bash(git *)', 'Bash(npm test)']
`;

// Comparing and analysing policies judges thousands of calls, which a busy machine makes slow.
jest.setTimeout(60_000);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs a command; paths of the temporary folder are written as `@`. */
async function run(command: (streams: Streams) => Promise<number>) {
  const [output, complaints] = [new PassThrough(), new PassThrough()];
  const exitCode = await command({ output, complaints });
  const textOf = (stream: PassThrough) => String(stream.read() ?? '').replaceAll(folder, '@');
  return { exitCode, output: textOf(output), complaints: textOf(complaints) };
}

const call = (command: string, over: Partial<CallOptions> = {}): CallOptions => ({
  tool: 'Bash',
  args: JSON.stringify({ command }),
  cwd: '/work/app',
  home: '/home/dev',
  silent: false,
  resolve: false,
  json: false,
  ...over,
});

describe('check', () => {
  it.each([
    ['git commit -m x', 0, 'allow by allow:Bash(git *): allow rule `Bash(git *)`\n'],
    ['git push --force origin main', 1, 'deny by no-force: history is shared\n'],
    ['git push origin main', 2, 'ask by ask:Bash(git push *): ask rule `Bash(git push *)`\n'],
  ])('%s ends with %i', async (command, exitCode, output) => {
    const policy = file('policy.yaml', POLICY);
    expect(await run((to) => check(call(command, { policy }), to))).toEqual({ exitCode, output, complaints: '' });
  });

  it('answers in JSON', async () => {
    const policy = file('policy.yaml', POLICY);
    const done = await run((to) => check(call('git push --force', { policy, json: true }), to));
    expect(JSON.parse(done.output)).toEqual({
      effect: 'deny',
      ruleId: 'no-force',
      reason: 'history is shared',
      layer: 'hard-deny',
      risk: 'medium',
      mode: 'default',
    });
  });

  it('takes preset, mode and silence into account', async () => {
    const effectOf = async (over: Partial<CallOptions>) => (await run((to) => check(call('make', over), to))).exitCode;
    expect(await effectOf({})).toBe(2);
    expect(await effectOf({ silent: true })).toBe(1);
    expect(await effectOf({ mode: 'dontAsk' })).toBe(1);
  });

  it('follows links only when told to', async () => {
    symlinkSync('/etc', join(folder, 'link'));
    const read = call('', { tool: 'Read', args: JSON.stringify({ file_path: 'link/hostname' }), cwd: folder });
    expect((await run((to) => check(read, to))).exitCode).toBe(0);
    expect((await run((to) => check({ ...read, resolve: true }, to))).exitCode).not.toBe(0);
  });

  it('says what it cannot read, with the place', async () => {
    const broken = file('broken.yaml', 'allow: []\nalow: [Bash]\n');
    expect(await run((to) => check(call('ls', { policy: broken }), to))).toEqual({
      exitCode: 3,
      output: '',
      complaints: 'countersign: @/broken.yaml:2:1: alow: unknown key `alow` (did you mean `allow`?)\n',
    });
    expect(await run((to) => check(call('ls', { policy: join(folder, 'none.yaml') }), to))).toMatchObject({
      exitCode: 3,
    });
    expect(await run((to) => check(call('ls', { policy: file('p.txt', '') }), to))).toMatchObject({
      exitCode: 3,
      complaints: 'countersign: @/p.txt: the name must end in .yaml, .yml, .json or .toml\n',
    });
    expect(await run((to) => check(call('ls', { args: '{"command":' }), to))).toMatchObject({
      exitCode: 3,
      complaints: 'countersign: --args is not JSON\n',
    });
  });

  it('refuses a tool without a name', async () => {
    for (const tool of ['', ' ']) {
      expect(await run((to) => check(call('ls', { tool }), to))).toEqual({
        exitCode: 3,
        output: '',
        complaints: 'countersign: --tool needs the name of a tool, as `Bash` or `mcp__server__tool`\n',
      });
    }
  });

  it("judges for the agent's platform", async () => {
    const policy = file('policy.yaml', "deny: ['Bash(make *)']\nallow: [Bash]\n");
    const codeOn = async (platform: string) =>
      (await run((to) => check(call('MAKE all', { policy, platform }), to))).exitCode;
    expect(await codeOn('linux')).toBe(0);
    expect(await codeOn('darwin')).toBe(1);
    expect(await codeOn('win32')).toBe(1);
  });

  it('reads TOML and JSON, and tells rules that the engine refuses', async () => {
    const toml = file('p.toml', 'deny = ["Bash(make *)"]\n');
    expect((await run((to) => check(call('make all', { policy: toml }), to))).exitCode).toBe(1);
    const json = file('p.json', '{"deny": ["Bash(("]}');
    const done = await run((to) => check(call('make', { policy: json }), to));
    expect(done.exitCode).toBe(3);
    expect(done.complaints).toMatch(/^countersign: @\/p\.json.*deny/);
  });

  it('refuses arguments that two readers may read differently', async () => {
    const twice = call('', { args: '{"command":"ls","command":"rm -rf /"}', json: true });
    const done = await run((to) => check(twice, to));
    expect(done.exitCode).toBe(1);
    expect(JSON.parse(done.output)).toMatchObject({ ruleId: 'request.invalid_arguments' });
  });
});

describe('the environment', () => {
  const variables = { AGENT_PERMISSIONS_DENY: 'Bash(git commit *)', AGENT_PERMISSION_MODE: 'dontAsk' };

  it('is laid over the policy, and the command says so', async () => {
    const policy = file('policy.yaml', POLICY);
    const told = 'countersign: with what the environment sets: AGENT_PERMISSIONS_DENY, AGENT_PERMISSION_MODE\n';
    expect(await run((to) => check(call('git commit -m x', { policy, variables }), to))).toEqual({
      exitCode: 1,
      output: 'deny by deny:Bash(git commit *): deny rule `Bash(git commit *)`\n',
      complaints: told,
    });
    expect((await run((to) => check(call('git push', { policy, variables }), to))).exitCode).toBe(1);
    expect((await run((to) => explainCall(call('git push', { policy, variables }), to))).complaints).toBe(told);
    const found = await run((to) => analyse(policy, { json: true, variables }, to));
    expect(found.complaints).toBe(told);
    expect((await run((to) => check(call('git commit -m x', { policy }), to))).exitCode).toBe(0);
  });

  it('is refused with the name of the variable', async () => {
    const wrong = call('ls', { variables: { AGENT_PERMISSION_MODE: 'plann' } });
    const { exitCode, complaints } = await run((to) => check(wrong, to));
    expect(exitCode).toBe(3);
    expect(complaints).toMatch(/^countersign: AGENT_PERMISSION_MODE: .*\(did you mean `plan`\?\)\n$/);
  });
});

describe('forms of old', () => {
  it('are warned of, and work', async () => {
    const policy = file('old.yaml', 'deny: ["Bash(make:*)"]\n');
    expect(await run((to) => check(call('make all', { policy }), to))).toMatchObject({
      exitCode: 1,
      complaints:
        'countersign: warning: @/old.yaml:1:8: deny.0: the tail `:*` is out of use: write `Bash(make *)`, which means the same\n',
    });
  });
});

describe('explain', () => {
  it('tells the answer, the risk, the rest and each step', async () => {
    const policy = file('policy.yaml', POLICY);
    const done = await run((to) => explainCall(call('git push --force origin', { policy }), to));
    expect(done).toEqual({
      exitCode: 0,
      complaints: '',
      output: `Denied: history is shared (git push --force origin), by \`no-force\` in layer hard-deny.
Risk medium: It may change files or reach other systems.
ask: ask by \`ask:Bash(git push *)\`: ask rule \`Bash(git push *)\` (git push --force origin)
allow: allow by \`allow:Bash(git *)\`: allow rule \`Bash(git *)\` (git push --force origin)

0 request    -
1 guard      -
2 hook       -
3 hard-deny  deny by no-force [managed] on \`git push --force origin\`: history is shared <- decided
4 path       -
5 ask        ask by ask:Bash(git push *) [user] on \`git push --force origin\`: ask rule \`Bash(git push *)\` (overridden by no-force)
6 mode       -
7 allow      allow by allow:Bash(git *) [user] on \`git push --force origin\`: allow rule \`Bash(git *)\` (overridden by no-force)
8 default    -
=> deny by no-force in layer hard-deny (mode default, risk medium)
`,
    });
  });

  it('gives explanation, trace and verdict as JSON', async () => {
    const policy = file('policy.yaml', POLICY);
    const done = await run((to) => explainCall(call('npm test', { policy, json: true }), to));
    const { explanation, trace, verdict } = JSON.parse(done.output) as Record<string, Record<string, unknown>>;
    expect(Object.keys(explanation ?? {})).toEqual(['riskLevel', 'explanation', 'reasoning', 'risk']);
    expect(trace).toMatchObject({ effect: 'allow', ruleId: 'allow:Bash(npm test)' });
    expect(verdict).toMatchObject({ effect: 'allow', ruleId: 'allow:Bash(npm test)' });
  });

  it('shows characters that would hide or reorder text', async () => {
    const done = await run((to) => explainCall(call('echo \u202egnp.x'), to));
    expect(done.output).toContain('\\u{202e}');
    expect(done.output).not.toContain('\u202e');
  });
});

describe('cases', () => {
  const row = { preset: 'standard', cwd: '/w', home: '/h', tool: 'Bash', args: { command: 'ls' } };
  const good = JSON.stringify({ ...row, id: 'good', expected: { effect: 'allow' }, why: 'reading is free' });
  const bad = JSON.stringify({ ...row, id: 'bad', expected: { effect: 'deny', ruleId: 'x' }, why: 'it is not' });
  const options = { json: false, onlyFailures: false };

  it('prints every case, what went wrong, and the sum', async () => {
    const cases = file(
      'cases.jsonl',
      `${good}\n\n${bad}\n{"id":\n{"id":"steps","steps":[{}]}\n{"id":"none","steps":[]}\n{"id":"odd","preset":"x","tool":"Bash","args":{},"expected":{}}\n`,
    );
    const done = await run((to) => runCaseFiles([cases], options, to));
    expect(done.exitCode).toBe(1);
    expect(done.output.replace(/not JSON: .*/, 'not JSON: …')).toBe(`passed  good
failed  bad (@/cases.jsonl:3)
  expected {"effect":"deny","ruleId":"x"}
  got allow by command.read_only
  - effect is allow (by command.read_only), expected deny
  - ruleId is command.read_only, expected x
  why: it is not
invalid ? (@/cases.jsonl:4)
  - not JSON: …
skipped steps (@/cases.jsonl:5)
  - several steps need a running service
invalid none (@/cases.jsonl:6)
  - steps: expected one or more objects
invalid odd (@/cases.jsonl:7)
  - preset: Invalid option: expected one of "standard"|"astro-research"|"coding-agent"|"governed-runner"|"claude-code"
1 skipped: the engine alone cannot run them
1 passed, 4 failed
`);
  });

  it.each([
    [{ hook: { decision: 'deny' } }, 'context.hook needs a running service'],
    [{ hooks: [{ decision: 'allow' }] }, 'context.hooks needs a running service'],
    [{ classifier: 'block', agent: { depth: 1 } }, 'context.classifier, context.agent need a running service'],
  ])('skips %j, which the engine alone cannot show, and says why', async (context, why) => {
    const needy = JSON.stringify({ ...row, id: 'needy', context, expected: { effect: 'deny' } });
    const skipping = await run((to) => runCaseFiles([file('needy.jsonl', needy)], options, to));
    expect(skipping).toEqual({
      exitCode: 1,
      output: `skipped needy (@/needy.jsonl:1)\n  - ${why}\n1 skipped: the engine alone cannot run them\n0 passed, 0 failed\n`,
      complaints: '',
    });
    const failing = await run((to) =>
      runCaseFiles([file('both.jsonl', `${needy}\n${bad}`)], { ...options, onlyFailures: true }, to),
    );
    expect(failing.exitCode).toBe(1);
    expect(failing.output).not.toContain('needy');
    expect(failing.output).toMatch(/\n1 skipped: .*\n0 passed, 1 failed\n$/);
    const passing = await run((to) => runCaseFiles([file('both.jsonl', `${needy}\n${good}`)], options, to));
    expect(passing).toMatchObject({ exitCode: 0, output: expect.stringMatching(/\n1 passed, 0 failed\n$/) });
  });

  it.each([null, false, 0, '', [], {}])(
    'takes a context whose members are %j for one that sets nothing up',
    async (none) => {
      const context = { agent: none, hook: none, mcp: none, modeHistory: none, route: none, sandbox: none };
      const own = JSON.stringify({ ...row, id: 'own', context, expected: { effect: 'deny' } });
      const done = await run((to) => runCaseFiles([file('own.jsonl', own)], options, to));
      expect(done).toMatchObject({
        exitCode: 1,
        output: expect.stringMatching(/^failed {2}own .*\n0 passed, 1 failed\n$/s),
      });
    },
  );

  it.each([null, {}, [], 'x', [null], [{}, 1], [[]]])('fails a case whose steps are %j', async (steps) => {
    const broken = JSON.stringify({ ...row, id: 'broken', steps, expected: { effect: 'allow' } });
    const done = await run((to) => runCaseFiles([file('broken.jsonl', `${good}\n${broken}`)], options, to));
    expect(done).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/\ninvalid broken .*\n1 passed, 1 failed\n$/s),
    });
  });

  it.each([
    [{ hooks: [{ action: 'block' }] }, 0],
    [{ classifier: 'blok' }, 1],
    [{ hasOwnProperty: 1 }, 1],
  ])('runs %j itself', async (context, exitCode) => {
    const own = JSON.stringify({ ...row, id: 'own', context, expected: { effect: 'deny' } });
    const done = await run((to) => runCaseFiles([file('own.jsonl', own)], options, to));
    expect(done.exitCode).toBe(exitCode);
    expect(done.output).not.toContain('skipped');
  });

  it('fails no row of the acceptance corpus but those where we are stricter on purpose', async () => {
    const corpus = new URL('../../../../test/data/acceptance/', import.meta.url);
    const files = readdirSync(corpus).map((name) => fileURLToPath(new URL(name, corpus)));
    const done = await run((to) => runCaseFiles(files, { ...options, onlyFailures: true }, to));
    const failed = [...done.output.matchAll(/^(?:failed|invalid|unread) +(\S+)/gm)].map(([, id]) => id);
    expect(failed).toEqual(['cc-0157', 'cc-0175', 'cc-0576', 'cc-0644', 'cc-0648']);
    expect(done.output).toMatch(/\n104 skipped: .*\n\d+ passed, 5 failed\n$/);
  });

  it('says that a file of bytes is no text', async () => {
    const bytes = file('image.png', '\u0089PNG\r\n\u001a\n\0\0\0\rIHDR');
    expect(await run((to) => runCaseFiles([bytes], options, to))).toEqual({
      exitCode: 3,
      output: 'unread  ? (@/image.png)\n  - this file is not text\n0 passed, 1 failed\n',
      complaints: '',
    });
  });

  it('leaves out what passed when told to, and ends well when all did', async () => {
    const cases = file('good.jsonl', good);
    const done = await run((to) => runCaseFiles([cases, cases], { ...options, onlyFailures: true }, to));
    expect(done).toEqual({ exitCode: 0, output: '2 passed, 0 failed\n', complaints: '' });
  });

  it('prints lines of JSON and a plain sum', async () => {
    const cases = file('cases.jsonl', `${good}\n${bad}\n`);
    const done = await run((to) => runCaseFiles([cases], { ...options, json: true }, to));
    const [first = '', second = '', sum] = done.output.trimEnd().split('\n');
    expect(JSON.parse(first)).toEqual({
      place: '@/cases.jsonl:1',
      id: 'good',
      status: 'passed',
      effect: 'allow',
      ruleId: 'command.read_only',
      expected: { effect: 'allow' },
      differences: [],
      why: 'reading is free',
    });
    expect(JSON.parse(second)).toMatchObject({ id: 'bad', status: 'failed' });
    expect(sum).toBe('1 passed, 1 failed');
  });

  it('takes another preset for all', async () => {
    const { preset: _, ...bare } = row;
    const cases = file('bare.jsonl', JSON.stringify({ ...bare, id: 'bare', expected: { effect: 'allow' } }));
    expect((await run((to) => runCaseFiles([cases], options, to))).exitCode).toBe(1);
    expect((await run((to) => runCaseFiles([cases], { ...options, preset: 'standard' }, to))).exitCode).toBe(0);
  });

  it('counts a file that cannot be read, and no case at all, as failure', async () => {
    const missing = await run((to) => runCaseFiles([join(folder, 'none.jsonl')], options, to));
    expect(missing).toMatchObject({ exitCode: 3, output: expect.stringMatching(/\n0 passed, 1 failed\n$/) });
    const empty = await run((to) => runCaseFiles([file('empty.jsonl', '\n')], options, to));
    expect(empty).toMatchObject({ exitCode: 1, output: '0 passed, 0 failed\n' });
  });
});

describe('analyse', () => {
  it('tells a shadowed rule with a call that shows it', async () => {
    const policy = file('shadow.yaml', "deny: ['Bash(make *)']\nallow: ['Bash(make test *)']\n");
    const done = await run((to) => analyse(policy, { json: false }, to));
    expect(done.exitCode).toBe(1);
    expect(done.output).toMatch(
      /^shadowed: allow\.0 `Bash\(make test \*\)`\n {2}.+\n {2}call: Bash \{"command":"make test.*\} -> deny by deny:Bash\(make \*\) .+\n {2}fix: .+\n1 finding\n$/,
    );
    const json = await run((to) => analyse(policy, { json: true }, to));
    expect(JSON.parse(json.output)).toMatchObject({ findings: [{ kind: 'shadowed', place: 'allow.0' }] });
  });

  it('ends well without findings, and with 3 on a file it cannot read', async () => {
    const policy = file('fine.yaml', "allow: ['Bash(npm run build)']\n");
    expect(await run((to) => analyse(policy, { json: false }, to))).toMatchObject({
      exitCode: 0,
      output: '0 findings\n',
    });
    expect((await run((to) => analyse(file('x.yaml', 'deny: 1'), { json: false }, to))).exitCode).toBe(3);
  });
});

describe('diff', () => {
  const options = { json: false, strict: false };

  it('objects to a regular expression that changed, since no call stands for all that it matches', async () => {
    const before = file('a.yaml', 'deny: ["Bash(re:npm (install|ci) .*)"]\n');
    const after = file('b.yaml', 'deny: ["Bash(re:npm install .*)"]\n');
    const done = await run((to) => diff([before, after], { json: false, strict: false }, to));
    expect(done.exitCode).toBe(1);
    expect(done.output).toContain('regular expressions');
    expect((await run((to) => diff([before, before], { json: false, strict: true }, to))).exitCode).toBe(0);
  });

  it('objects to what widens', async () => {
    const files = [file('a.yaml', 'ask: []\n'), file('b.yaml', "allow: ['Bash(make)']\n")] as const;
    const done = await run((to) => diff(files, options, to));
    expect(done.exitCode).toBe(1);
    expect(done.output).toContain(
      'widens: Bash {"command":"make"}: ask by default.ask -> allow by allow:Bash(make) (mode default)',
    );
    expect(done.output).toMatch(/\nwidens: \d+ calls judged otherwise, \d+ alike\n/);
    const back = await run((to) => diff([files[1], files[0]], options, to));
    expect(back).toMatchObject({ exitCode: 0, output: expect.stringContaining('tightens: ') });
    expect((await run((to) => diff([files[1], files[0]], { ...options, strict: true }, to))).exitCode).toBe(1);
  });

  it('ends well for equal policies, in JSON too', async () => {
    const policy = file('a.yaml', POLICY);
    const done = await run((to) => diff([policy, policy], { json: true, strict: true }, to));
    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.output)).toMatchObject({ verdict: 'same', tightens: [], widens: [], changed: 0 });
  });
});

describe('the command line', () => {
  it.each([
    [['check', '--tool', 'Bash'], 3],
    [['check', '--tool', 'Bash', '--args', '{}', '--mode', 'wild'], 3],
    [['cases'], 3],
    [['check', '--help'], 0],
    [['check', '--tool', 'Bash', '--args', '{"command":"rm -rf /"}', '--silent'], 1],
  ])('%j ends with %i', async (words, exitCode) => {
    expect(await main(['node', 'countersign', ...words])).toBe(exitCode);
  });
});
