/** Settings: wrong ones are one line each, and the help names every one. */
import { describe, expect, it } from '@jest/globals';
import { ENVIRONMENT_VARIABLES } from '@countersign/policy';
import { ENVIRONMENT_NAMES, readCliEnv } from './env.js';
import { HOOK_SETTINGS, UP_SETTINGS } from './settings-help.js';

const NPM = 'npm_lifecycle_event';

describe('settings', () => {
  it.each(['junk', 'http://host/db', 'postgresql', 'host:5432'])(
    'refuses DATABASE_URL=%s without repeating it',
    (value) => {
      const read = readCliEnv({ DATABASE_URL: value });
      expect(read).toEqual({ ok: false, problems: [expect.stringMatching(/^DATABASE_URL: must be a URL such as/)] });
    },
  );

  it('takes both spellings of a database URL', () => {
    for (const scheme of ['postgres', 'postgresql']) {
      expect(readCliEnv({ DATABASE_URL: `${scheme}://u:p@host:5432/db` })).toMatchObject({ ok: true });
    }
  });

  it('are all named by the help', () => {
    const told = `${UP_SETTINGS}\n${HOOK_SETTINGS}`;
    const names = [...ENVIRONMENT_NAMES, ...ENVIRONMENT_VARIABLES].filter((name) => name !== NPM);
    expect(names.filter((name) => !told.includes(name))).toEqual([]);
  });
});
