/** Wrong usage at the command line: said on standard error, with what to type, and an exit code of its own. */
import { describe, expect, it, jest } from '@jest/globals';
import { main } from './program.js';

async function run(words: readonly string[]) {
  const said = { out: '', err: '' };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said.out += String(text)), true)),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((said.err += String(text)), true)),
  ];
  try {
    return { code: await main(['node', 'countersign', ...words]), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('wrong usage', () => {
  it.each([
    ['bogus', 2, "unknown command 'bogus'", 'countersign'],
    ['check', 3, "required option '--tool <name>' not specified", 'countersign check'],
    ['cases', 3, "missing required argument 'file'", 'countersign cases'],
    ['audit bogus', 2, "unknown command 'bogus'", 'countersign audit'],
    ['vault bogus', 2, "unknown command 'bogus'", 'countersign vault'],
    ['asks bogus', 2, "unknown command 'bogus': one of list, watch, show, approve, reject", 'countersign asks'],
    ['asks bogus --json', 2, "unknown command 'bogus': one of list,", 'countersign asks'],
    ['asks list bogus', 2, '`list` takes no argument, but got `bogus`', 'countersign asks list'],
    ['asks --bogus', 2, "unknown option '--bogus'", 'countersign asks list'],
    ['asks show', 2, "missing required argument 'id'", 'countersign asks show'],
    ['asks approve x --ttl none', 2, "option '--ttl <seconds>' argument 'none' is invalid", 'countersign asks approve'],
    ['doctor now', 2, "too many arguments for 'doctor'", 'countersign doctor'],
    ['up --bogus', 2, "unknown option '--bogus'", 'countersign up'],
    ['hook', 2, "missing required argument 'agent'", 'countersign hook'],
    ['hook vim', 2, "'vim' is invalid for argument 'agent'. known agents: claude-code.", 'countersign hook'],
  ])('of `countersign %s` ends with %i', async (line, code, what, typed) => {
    const done = await run(line.split(' '));
    expect(done).toMatchObject({ code, out: '' });
    expect(done.err).toMatch(/^countersign: /);
    expect(done.err).toContain(what);
    expect(done.err.endsWith(`\ncountersign: \`${typed} --help\` says how it is used\n`)).toBe(true);
  });

  it.each([
    ['doctor', 1],
    ['up', 1],
    ['vault rotate', 1],
    ['audit verify', 2],
    ['asks list', 2],
    ['hook claude-code', 2],
  ])('has one line for a setting that cannot be read: `countersign %s` ends with %i', async (line, code) => {
    const before = process.env['GATEWAY_PORT'];
    process.env['GATEWAY_PORT'] = '70000';
    try {
      const done = await run(line.split(' '));
      expect(done).toMatchObject({
        code,
        out: '',
        err: expect.stringMatching(/^countersign: GATEWAY_PORT: [^\n]+\n$/),
      });
    } finally {
      if (before === undefined) delete process.env['GATEWAY_PORT'];
      else process.env['GATEWAY_PORT'] = before;
    }
  });

  it.each(['', 'audit', 'vault'])('of `countersign %s` shows the help on standard error', async (line) => {
    const done = await run(line.split(' ').filter((word) => word !== ''));
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/^Usage: countersign/);
  });

  it.each(['--help', 'asks --help', 'asks list --help', 'help'])('is none: `countersign %s`', async (line) => {
    expect(await run(line.split(' '))).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^Usage: /) });
  });
});
