import type { Grant, Mode, Rule } from '@countersign/contracts';
import { describe, expect, it } from '@jest/globals';
import { evaluate } from './evaluate.js';
import { bash, callOf, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const ids = (verdict: { matches: { ruleId: string }[] }): string[] => verdict.matches.map((match) => match.ruleId);

describe('layer 0: request', () => {
  it.each([
    ['arguments that cannot be judged', callOf('Bash', undefined, { problem: 'duplicate_key' })],
    ['no object', callOf('Bash', ['ls'])],
    ['a command that is no text', callOf('Bash', { command: ['ls'] })],
    ['no command', callOf('Bash', {})],
    ['no path', callOf('Read', {})],
    ['a path with NUL', callOf('Read', { file_path: 'a\0b' })],
    ['a search path that is no text', callOf('Grep', { pattern: 'x', path: 5 })],
    ['an inherited command', callOf('Bash', Object.create({ command: 'ls' }))],
  ])('denies %s', (_name, call) => {
    expect(judge(call)).toMatchObject({ effect: 'deny', ruleId: 'request.invalid_arguments', layer: 'request' });
  });
});

describe('layer 1: guards', () => {
  it.each([
    ['cancelled', 'guard.cancelled'],
    ['stopped', 'guard.stopped'],
    ['breakerOpen', 'guard.breaker'],
  ])('%s denies everything below it', (field, ruleId) => {
    const facts = factsOf({ session: sessionOf({ [field]: true, heldBy: 'root' }) });
    expect(judge(bash('ls'), policyOf(), facts)).toMatchObject({
      effect: 'deny',
      ruleId,
      layer: 'guard',
      reason: expect.stringContaining('`root`'),
    });
  });

  it('restricts the tools', () => {
    const facts = factsOf({ session: sessionOf({ tools: ['Read'] }) });
    expect(judge(bash('ls'), policyOf(), facts).ruleId).toBe('guard.tool_not_available');
    expect(judge(callOf('Read', { file_path: 'a' }), policyOf(), facts).effect).toBe('allow');
  });
});

describe('layer 3: hard denies', () => {
  const secret = '/var/lib/countersign/keys';
  it.each([
    callOf('Read', { file_path: secret }),
    callOf('Write', { file_path: `/work/app/../../${secret}`, content: '' }),
    callOf('mcp__fs__read', { path: secret }),
    callOf('mcp__fs__read', { paths: ['a', secret] }),
    callOf('Grep', { pattern: 'x', path: '/var' }),
    bash(`cat ${secret}`),
    bash('cd /var/lib && unknown countersign/keys'),
    bash(`python3 -c "open('${secret}')"`),
    bash('rm -r /var/lib'),
    bash('cat /VAR/lib/Countersign/x'),
  ])('protects our own data: %j', (call) => {
    const verdict = judge(
      call,
      policyOf({ mode: 'bypassPermissions', allow: ['Bash', 'mcp__fs', 'Read', 'Write'] }),
      factsOf({ session: sessionOf({ mode: 'bypassPermissions' }) }),
    );
    expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'path.protected', risk: 'high' });
  });

  it('protects it behind a link', () => {
    expect(
      judge(callOf('Read', { file_path: 'link' }), policyOf(), factsOf(), { '/work/app/link': secret }).ruleId,
    ).toBe('path.protected');
  });

  it('denies by rule from any source, also over a session allow, and keeps what it overrode', () => {
    const verdict = judge(
      bash('git push'),
      policyOf({ deny: ['Bash(git push *)'], allow: ['Bash(git *)'], ask: ['Bash(git *)'] }),
    );
    expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'deny:Bash(git push *)', layer: 'hard-deny' });
    expect(ids(verdict)).toEqual(expect.arrayContaining(['ask:Bash(git *)', 'allow:Bash(git *)']));
  });

  it('denies by parameters and asks when a deny only may be meant', () => {
    const policy = policyOf({
      deny: ['Bash(run_in_background:true)', 'Agent(model:opus)', 'Read(.env)', 'Bash(rm *)'],
      allow: ['Bash', 'Agent'],
    });
    expect(judge(callOf('Bash', { command: 'x', run_in_background: true }), policy).effect).toBe('deny');
    expect(judge(callOf('Agent', { subagent_type: 'x', model: 'opus' }), policy).effect).toBe('deny');
    expect(judge(bash('cat .e*'), policy)).toMatchObject({ effect: 'ask', ruleId: 'deny:Read(.env)' });
    expect(judge(bash('tar cf - .env'), policy)).toMatchObject({ effect: 'deny', ruleId: 'deny:Read(.env)' });
    expect(judge(bash('unheard-of .env'), policy)).toMatchObject({ effect: 'ask', ruleId: 'deny:Read(.env)' });
    expect(judge(bash('git log -p -- .env'), policy)).toMatchObject({ effect: 'deny' });
    expect(judge(bash('docker exec c rm x'), policy)).toMatchObject({ effect: 'ask', ruleId: 'deny:Bash(rm *)' });
  });

  it('takes rules of the session, and asks about everything when one is broken', () => {
    const rule: Rule = {
      id: 'r',
      effect: 'deny',
      pattern: 'Bash(ls *)',
      source: 'session',
      reason: 'no',
      order: 0,
      match: [],
      notMatch: [],
    };
    const deny = sessionOf({ rules: [rule] });
    expect(judge(bash('ls'), policyOf(), factsOf({ session: deny }))).toMatchObject({
      effect: 'deny',
      ruleId: 'r',
      reason: 'no',
    });
    const broken = sessionOf({ rules: [{ ...rule, pattern: 'Bash((' }] });
    expect(judge(callOf('TodoWrite', {}), policyOf(), factsOf({ session: broken }))).toMatchObject({
      effect: 'ask',
      ruleId: 'r',
    });
  });
});

describe('layer 4: paths', () => {
  const read = (path: string) => callOf('Read', { file_path: path });
  it('allows inside the roots, asks outside, by link and by target', () => {
    expect(judge(read('src/a')).effect).toBe('allow');
    expect(judge(read('/etc/hosts')).ruleId).toBe('path.outside_roots');
    expect(judge(read('../x')).ruleId).toBe('path.outside_roots');
    expect(judge(read('link'), policyOf(), factsOf(), { '/work/app/link': '/etc/hosts' }).ruleId).toBe(
      'path.outside_roots',
    );
  });

  it('asks without evidence and when resolving failed', () => {
    const call = read('src/a');
    expect(evaluate(call, policyOf(), factsOf())).toMatchObject({ effect: 'ask', ruleId: 'path.no_evidence' });
    const failed = { '/work/app/src/a': { real: null, exists: false, failed: true } };
    expect(judge(call, policyOf(), factsOf({ resolvedPaths: failed })).ruleId).toBe('path.unresolvable');
  });

  it('lets a rule open a path outside, as link and target', () => {
    const policy = policyOf({ allow: ['Read(//opt/shared/**)'] });
    expect(judge(read('/opt/shared/a'), policy)).toMatchObject({ effect: 'allow' });
    expect(judge(read('/opt/shared/a'), policy, factsOf(), { '/opt/shared/a': '/etc/x' }).effect).toBe('ask');
  });

  it('accepts a root that is itself a link, and further directories', () => {
    const links = { '/work/app': '/data/app', '/work/app/a': '/data/app/a' };
    expect(judge(read('a'), policyOf(), factsOf(), links).effect).toBe('allow');
    expect(judge(read('/work/lib/a'), policyOf({ additionalDirectories: ['../lib'] })).effect).toBe('allow');
  });
});

describe('layer 5: questions in every mode', () => {
  const everywhere: Mode[] = ['default', 'acceptEdits', 'bypassPermissions', 'auto', 'custom'];
  it.each(everywhere)('sensitive paths and doubts ask in %s', (mode) => {
    const policy = policyOf({ allow: ['Bash', 'Edit', 'Read', 'Write'] });
    const facts = factsOf({ session: sessionOf({ mode }) });
    expect(judge(callOf('Edit', { file_path: '.claude/settings.json' }), policy, facts)).toMatchObject({
      effect: 'ask',
      ruleId: 'path.control',
    });
    expect(judge(callOf('Read', { file_path: '.env' }), policy, facts)).toMatchObject({
      effect: 'ask',
      ruleId: 'path.secret',
    });
    expect(judge(bash('$x y'), policy, facts)).toMatchObject({ effect: 'ask', ruleId: 'shell.dynamic_program' });
    expect(judge(bash('f() { x; }; f'), policy, facts)).toMatchObject({ effect: 'ask', ruleId: 'shell.function' });
    expect(judge(callOf('Read', { file_path: 'a\u202Eb' }), policy, facts)).toMatchObject({
      effect: 'ask',
      ruleId: 'content.invisible',
    });
  });
});

describe('layer 6: modes', () => {
  const inMode = (mode: Mode, call: ReturnType<typeof bash>, policy = policyOf()) =>
    judge(call, policy, factsOf({ session: sessionOf({ mode }) }));
  const write = callOf('Write', { file_path: 'a', content: '' });
  it.each([
    ['default', 'ask', 'allow', 'ask', 'ask'],
    ['acceptEdits', 'allow', 'allow', 'ask', 'allow'],
    ['plan', 'deny', 'allow', 'ask', 'deny'],
    ['dontAsk', 'deny', 'allow', 'deny', 'deny'],
    ['bypassPermissions', 'allow', 'allow', 'allow', 'allow'],
    ['auto', 'allow', 'allow', 'ask', 'allow'],
    ['custom', 'ask', 'ask', 'ask', 'ask'],
  ] as const)('%s: write %s, read-only %s, other command %s, redirect %s', (mode, ...effects) => {
    const calls = [write, bash('ls'), bash('make'), bash('echo x > f')];
    expect(calls.map((call) => inMode(mode, call).effect)).toEqual(effects);
  });

  it('keeps allow rules out of plan', () => {
    expect(inMode('plan', bash('git commit'), policyOf({ allow: ['Bash(git *)'] })).effect).toBe('ask');
    expect(inMode('plan', write, policyOf({ allow: ['Edit'] })).effect).toBe('deny');
  });

  it('judges a reported mode only when the policy lets agents choose it', () => {
    const report = (reportedMode: string) => judge({ ...write, reportedMode });
    expect(report('acceptEdits')).toMatchObject({ effect: 'allow', mode: 'acceptEdits' });
    expect(report('bypassPermissions')).toMatchObject({ effect: 'ask', mode: 'default' });
    expect(report('nonsense')).toMatchObject({ effect: 'ask', mode: 'default' });
  });

  it('turns every question of a silent session into a refusal', () => {
    const silent = factsOf({ session: sessionOf({ silent: true }) });
    expect(judge(bash('make'), policyOf(), silent)).toMatchObject({
      effect: 'deny',
      ruleId: 'session.silent',
      layer: 'mode',
    });
    expect(judge(bash('ls'), policyOf(), silent).effect).toBe('allow');
  });
});

describe('layer 7: allows and grants', () => {
  const grant = (over: Partial<Grant>): Grant => ({
    id: 'g',
    kind: 'once',
    tool: 'Bash',
    argsHash: 'hash',
    pattern: null,
    liftsRuleIds: [],
    askId: 'a',
    personId: 'p',
    expiresAt: null,
    ...over,
  });
  const withGrant = (call: ReturnType<typeof bash>, over: Partial<Grant>, policy = policyOf()) =>
    judge(call, policy, factsOf({ session: sessionOf({ grants: [grant(over)] }) }));

  it('wants every part covered', () => {
    const policy = policyOf({ allow: ['Bash(npm test *)', 'Edit(out/**)'] });
    expect(judge(bash('npm test && npm test x > out/log'), policy).effect).toBe('allow');
    expect(judge(bash('npm test; make'), policy)).toMatchObject({ effect: 'ask', ruleId: 'default.ask' });
    expect(judge(bash('npm test > log'), policy).effect).toBe('ask');
  });

  it('looks through clear wrappers, and wants opaque ones allowed too', () => {
    const policy = policyOf({ allow: ['Bash(npm test *)'] });
    expect(judge(bash('timeout 5 nice npm test'), policy).effect).toBe('allow');
    expect(judge(bash('env npm test'), policy).effect).toBe('ask');
    expect(judge(bash('bash -c "npm test"'), policy).effect).toBe('ask');
    expect(judge(bash('timeout 5 make'), policyOf({ allow: ['Bash(timeout *)'] })).effect).toBe('ask');
    expect(judge(bash('timeout 5 make x'), policyOf({ allow: ['Bash(timeout 5 make *)'] })).effect).toBe('allow');
    expect(judge(bash('find . -exec rm {} +'), policyOf({ allow: ['Bash(find *)', 'Bash(rm *)'] })).effect).toBe('ask');
  });

  it('lets a one-time grant lift every question about that exact call, and no deny', () => {
    expect(withGrant(bash('cat /etc/x .env | make'), {}).effect).toBe('allow');
    expect(withGrant(bash('make'), { argsHash: 'other' }).effect).toBe('ask');
    expect(withGrant(bash('make'), { expiresAt: '2025-12-31T23:59:59Z' }).effect).toBe('ask');
    expect(withGrant(bash('make'), { expiresAt: 'nonsense' }).effect).toBe('ask');
    expect(withGrant(bash('make'), {}, policyOf({ deny: ['Bash(make)'] })).effect).toBe('deny');
    expect(withGrant(bash('sudo make'), {}).effect).toBe('allow');
    expect(withGrant(bash('sudo rm -rf /'), {}).effect).toBe('deny');
  });

  it('holds a one-time grant to the place of its call', () => {
    const at = (placeHash: string | undefined, granted: string | null) =>
      withGrant({ ...bash('make'), placeHash }, { placeHash: granted }).effect;
    expect([at('here', 'here'), at(undefined, null)]).toEqual(['allow', 'allow']);
    expect([at('there', 'here'), at(undefined, 'here'), at('here', null)]).toEqual(['ask', 'ask', 'ask']);
    // A grant of before places were kept.
    expect(withGrant({ ...bash('make'), placeHash: 'here' }, {}).effect).toBe('allow');
  });

  it.each(['session', 'always'] as const)(
    'lets a `%s` grant without a pattern answer that exact call again',
    (kind) => {
      const asking = policyOf({ ask: [{ rule: 'Bash(make *)', id: 'ask.make' }] });
      expect(withGrant(bash('make'), { kind }).effect).toBe('allow');
      expect(withGrant(bash('make x'), { kind, liftsRuleIds: ['ask.make'] }, asking).effect).toBe('allow');
      expect(withGrant(bash('make x'), { kind }, asking).effect).toBe('ask');
      expect(withGrant(bash('make'), { kind, argsHash: 'other' }).effect).toBe('ask');
      expect(withGrant(bash('cat .env'), { kind, liftsRuleIds: ['path.secret'] }).effect).toBe('ask');
      expect(withGrant(bash('make'), { kind }, policyOf({ deny: ['Bash(make)'] })).effect).toBe('deny');
    },
  );

  it.each([
    ['sudo make', 'command.privilege', 'Bash(sudo *)'],
    ['$x make', 'shell.dynamic_program', 'Bash(*)'],
    ['f() { make; }; f', 'shell.function', 'Bash(*)'],
    ['cat .env', 'path.secret', 'Bash(cat *)'],
    ['cat .env', 'path.secret', 'Bash'],
  ])('%s is asked about (%s) also under a wide grant for %s', (command, ruleId, pattern) => {
    const wide = { kind: 'always' as const, argsHash: null, pattern, liftsRuleIds: [ruleId, 'default.ask'] };
    expect(withGrant(bash(command), wide)).toMatchObject({ effect: 'ask', ruleId });
  });

  it('lets no grant whose pattern names something else lift the question', () => {
    const policy = policyOf({ ask: ['Bash(git push *)', 'Skill(d*)'] });
    const lifts = ['ask:Bash(git push *)', 'ask:Skill(d*)', 'default.ask'];
    const wide = { kind: 'always', argsHash: null, liftsRuleIds: lifts } as const;
    const facts = (over: Partial<Grant>) =>
      factsOf({ session: sessionOf({ mode: 'bypassPermissions', grants: [grant({ ...wide, ...over })] }) });
    const push = (pattern: string) => judge(bash('git push'), policy, facts({ pattern })).effect;
    expect([push('Write'), push('WebFetch'), push('Bash(git push *)')]).toEqual(['ask', 'ask', 'allow']);
    const skill = (pattern: string) =>
      judge(callOf('Skill', { skill: 'deploy' }), policy, facts({ tool: 'Skill', pattern })).effect;
    expect([skill('Skill(review)'), skill('Skill(args:x)'), skill('Skill(dep*)')]).toEqual(['ask', 'ask', 'allow']);
  });

  it('lets a wide grant lift only the rules it was made from, never a sensitive path', () => {
    const policy = policyOf({ ask: ['Bash(git push *)'] });
    const wide = { kind: 'always', argsHash: null, pattern: 'Bash(git push *)' } as const;
    expect(withGrant(bash('git push'), { ...wide, liftsRuleIds: ['ask:Bash(git push *)'] }, policy).effect).toBe(
      'allow',
    );
    expect(withGrant(bash('git push'), { ...wide, liftsRuleIds: [] }, policy).effect).toBe('ask');
    expect(
      withGrant(callOf('Edit', { file_path: '.env' }), {
        ...wide,
        tool: 'Edit',
        pattern: 'Edit(.env)',
        liftsRuleIds: ['path.secret'],
      }).effect,
    ).toBe('ask');
    expect(withGrant(bash('git push; make'), { ...wide, liftsRuleIds: ['ask:Bash(git push *)'] }, policy).effect).toBe(
      'ask',
    );
  });
});

describe('layer 8: default', () => {
  it('asks about unknown tools, or denies by policy, unless a rule allows them', () => {
    expect(judge(callOf('Nobody', {}))).toMatchObject({ effect: 'ask', ruleId: 'tool.unknown' });
    expect(judge(callOf('Nobody', {}), policyOf({ unknownTool: 'deny' }))).toMatchObject({
      effect: 'deny',
      ruleId: 'tool.unknown',
    });
    expect(judge(callOf('Nobody', {}), policyOf({ allow: ['Nobody'] })).effect).toBe('allow');
    expect(judge(callOf('mcp__a__b', {}))).toMatchObject({ effect: 'ask', ruleId: 'default.ask' });
    expect(judge(callOf('TodoWrite', {})).effect).toBe('allow');
  });

  it('asks about PowerShell that it does not understand', () => {
    const policy = policyOf({ allow: ['PowerShell'] });
    expect(judge(callOf('PowerShell', { command: 'x $y' }), policy).ruleId).toBe('shell.syntax');
    expect(judge(callOf('PowerShell', { command: 'Get-Date' }), policy).effect).toBe('allow');
  });
});

describe('mode custom', () => {
  const custom = (reportedMode: string | null = null) => ({
    call: (tool: string, args: unknown) => callOf(tool, args, { reportedMode }),
    facts: factsOf({ session: sessionOf({ mode: 'custom' }) }),
  });
  it.each([null, 'default', 'acceptEdits', 'bypassPermissions', 'unheard-of'])(
    'asks about reads and readers too, whatever is reported: %s',
    (reported) => {
      const { call, facts } = custom(reported);
      for (const one of [call('Read', { file_path: '/work/app/a' }), call('Bash', { command: 'ls' })]) {
        expect(judge(one, policyOf(), facts).effect).toBe('ask');
      }
    },
  );

  it('runs what a rule allows', () => {
    const { call, facts } = custom();
    const policy = policyOf({ allow: ['Bash(ls *)', 'Read(**)'] });
    expect(judge(call('Bash', { command: 'ls -l' }), policy, facts).effect).toBe('allow');
    expect(judge(call('Read', { file_path: '/work/app/a' }), policy, facts).effect).toBe('allow');
  });

  it('judges a report outside of the agent modes by a stricter session mode', () => {
    const facts = factsOf({ session: sessionOf({ mode: 'dontAsk' }) });
    expect(
      judge(callOf('Bash', { command: 'make' }, { reportedMode: 'bypassPermissions' }), policyOf(), facts).effect,
    ).toBe('deny');
  });
});

describe('files that commands name at run time', () => {
  it.each([
    ['find . -name "*.md" -exec cat {} +', 'allow'],
    ['find . -name "*.md" | xargs wc -l', 'allow'],
    ['git ls-files | while read -r f; do wc -c "$f"; done', 'allow'],
    ['for f in $(git ls-files); do head -3 "$f"; done', 'allow'],
    ['D=src; ls "$D"/lib', 'allow'],
    ['cat $(find . -name "*.ts")', 'allow'],
    ['echo a b | xargs cat', 'allow'],
    ['diff <(sort a) <(sort b)', 'allow'],
    ['find /etc -name "*.conf" -exec cat {} +', 'ask'],
    ['find /srv | xargs cat', 'ask'],
    ['echo /etc/passwd | xargs cat', 'ask'],
    ['cat list.txt | xargs cat', 'ask'],
    ['find . | sed s/x/y/ | xargs cat', 'ask'],
    ['find . | cut -c2- | xargs cat', 'ask'],
    ['find . | cut -d/ -f1 | xargs cat', 'ask'],
    ['find . -printf "%l\\n" | xargs cat', 'ask'],
    ['find . -name ".env*" -exec cat {} +', 'ask'],
    ['find . -name "*.pem" | xargs cat', 'ask'],
    ['cat .e*', 'ask'],
    ['D=/etc; cat "$D"/x', 'ask'],
    ['D=src; D=/etc; cat "$D"/x', 'ask'],
    ['read D; cat "$D"', 'ask'],
    ['while read f; do cat "$f"; done < list', 'ask'],
    ['find . | (cd /etc; xargs cat)', 'ask'],
    ['{ find .; cat; } < list | xargs cat', 'ask'],
    ['X="a /etc/passwd"; cat $X', 'ask'],
    ['X=src; : ${X:=/etc}; cat $X', 'ask'],
    ['printf "%s\\n" /etc/passwd | xargs cat', 'ask'],
    ['xargs cat <<< /etc/passwd', 'ask'],
    ['ls -d /etc/* | xargs cat', 'ask'],
    ['cat $(echo ../x)', 'ask'],
    ['find src/.. -name x -exec cat {}/../../y +', 'ask'],
  ] as const)('%s: %s', (command, effect) => {
    expect(judge(bash(command)).effect).toBe(effect);
  });
});
