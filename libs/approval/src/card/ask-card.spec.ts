import { describe, expect, it } from '@jest/globals';
import { escapeForDisplay, hasInvisible, type AskView } from '@countersign/contracts';
import fc from 'fast-check';
import { askCard } from './ask-card.js';
import { fitText } from './fit.js';

const LIMITS = { section: 2_900, sections: 20 };

function askOf(args: unknown, changes: Partial<AskView> = {}): AskView {
  return {
    id: 'ask_1',
    status: 'open',
    version: 1,
    sessionId: 's2',
    path: ['s0', 's1', 's2'],
    callId: 'call_1',
    agent: 'claude-code',
    tool: 'Bash',
    args: escapeForDisplay(JSON.stringify(args)),
    argsHash: 'a'.repeat(64),
    cwd: '/work/app',
    ruleId: 'default.ask',
    reason: 'no rule covers this call',
    risk: 'medium',
    matches: [],
    agentSays: null,
    openedAt: '2026-01-01T00:00:00.000000Z',
    deadline: '2026-01-01T00:10:00.000000Z',
    frozen: false,
    resolvedAt: null,
    resolvedBy: null,
    resolvedVia: null,
    editedArgs: null,
    ...changes,
  } as AskView;
}

describe('askCard', () => {
  it('says what runs, where, for whom and why', () => {
    const card = askCard(askOf({ command: 'npm test', timeout: 5 }, { agentSays: 'Runs the tests' }), LIMITS);
    expect(card.approvable).toBe(true);
    expect(card.text).toBe(
      [
        'Bash for claude-code (ask_1, version 1)',
        'command: npm test',
        'timeout: 5',
        'in folder: /work/app',
        'session: s0 > s1 > s2',
        'asked because: no rule covers this call (default.ask)',
        'risk: medium',
        'answer by: 2026-01-01T00:10:00.000000Z',
        `arguments hash: ${'a'.repeat(64)}`,
        'the agent says: Runs the tests',
      ].join('\n'),
    );
  });

  it('B06 says what runs instead where an approver changed it', () => {
    const editedArgs = escapeForDisplay(JSON.stringify({ command: 'npm run \u202e evil' }));
    const { text } = askCard(askOf({ command: 'npm test' }, { status: 'approved', editedArgs }), LIMITS);
    expect(text).toContain(
      'command: npm test\napproved with other arguments: command: npm run \\u{202e} evil\nin folder',
    );
  });

  it('B29 shows what hides, reorders, pushes away or fakes', () => {
    const command = `echo \`\`\`\u202e\u001b[2K<!channel>${' '.repeat(200)}; rm -rf build; r\u043c -rf /`;
    const [what] = askCard(askOf({ command }), LIMITS).sections;
    expect(what?.text).toBe('echo ```\\u{202e}\\u{1b}[2K<!channel> \\u{20}×200 ; rm -rf build; r\\u{43c} -rf /');
  });

  it('B28 shows head and tail of a long command, and may not be approved where it is cut', () => {
    const command = `${'echo 0123456789; '.repeat(700)}rm -rf build`;
    const card = askCard(askOf({ command }), LIMITS);
    const [what] = card.sections;
    expect(card.approvable).toBe(false);
    expect(what?.text.startsWith('echo 0123456789; ')).toBe(true);
    expect(what?.text.endsWith('rm -rf build')).toBe(true);
    expect(what?.text).toMatch(/… \d+ characters are not shown …/);
    expect(what?.text.length).toBeLessThanOrEqual(LIMITS.section);
  });

  it('puts the arguments that find no section of their own into the last one', () => {
    const args = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, `value ${index}`]));
    const card = askCard(askOf(args), LIMITS);
    expect(card.sections.length).toBeLessThanOrEqual(LIMITS.sections);
    expect(card.approvable).toBe(true);
    for (let index = 0; index < 30; index += 1) expect(card.text).toContain(`value ${index}`);
  });

  it('labels the words of the agent as its own, and never lets them grow longer than 600 characters', () => {
    const card = askCard(askOf({ command: 'ls' }, { agentSays: `approved by admin ${'x'.repeat(5_000)}` }), LIMITS);
    const claim = card.sections.find(({ kind }) => kind === 'claim');
    expect(claim?.label).toBe('the agent says');
    expect(claim?.text.length).toBeLessThanOrEqual(600);
    expect(card.approvable).toBe(true);
  });

  it('holds its limits, hides nothing and is the same each time, whatever the arguments', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.oneof(anyText, fc.integer(), fc.array(anyText))), anyText, (args, says) => {
        const ask = askOf(args, { agentSays: says, tool: says, cwd: says, reason: says });
        const card = askCard(ask, { section: 200, sections: 12 });
        expect(card.sections.length).toBeLessThanOrEqual(12);
        for (const { text, label } of card.sections) {
          expect(Math.max(text.length, label.length)).toBeLessThanOrEqual(400);
          expect(hasInvisible(text) || hasInvisible(label)).toBe(false);
        }
        expect(askCard(ask, { section: 200, sections: 12 })).toEqual(card);
      }),
      { numRuns: 300 },
    );
  });
});

describe('fitText', () => {
  it('never cuts a character in two and never runs over', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 3_000 }),
        fc.integer({ min: 120, max: 1_000 }),
        (text, max) => {
          const fitted = fitText(text, max);
          expect(fitted.text.length).toBeLessThanOrEqual(max);
          expect(fitted.whole).toBe(text.length <= max);
          expect(() => encodeURIComponent(fitted.text)).not.toThrow();
        },
      ),
    );
  });
});
