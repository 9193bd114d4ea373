/** Who people are on the channels, and where the terminal's answers are recorded. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openApprovers, type Approvers } from '../testing/approvers.js';
import { send } from '../testing/doors.js';

jest.setTimeout(60_000);

let house: Approvers;
let admin: { key: string };
let people: string;
beforeAll(async () => {
  house = await openApprovers(1);
  admin = await house.person('Ada', 'admin');
  people = `${house.urls[0]}/v1/people`;
});
afterAll(() => house.close());

const link = (personId: string, provider: string, externalId: string) =>
  send(`${people}/${personId}/identities`, admin.key, { body: { provider, externalId } });

describe('identities', () => {
  it('belong to one person, are listed and taken away', async () => {
    const [ann, bo] = [await house.person('Ann'), await house.person('Bo')];
    const identities = [{ provider: 'slack', externalId: 'T1:U1' }];
    expect(await link(ann.personId, 'slack', 'T1:U1')).toMatchObject({ status: 201, body: { identities } });
    expect((await link(ann.personId, 'slack', 'T1:U1')).status).toBe(201);
    expect(await link(bo.personId, 'slack', 'T1:U1')).toMatchObject({
      status: 409,
      body: { error: { code: 'identity.taken' } },
    });
    await link(bo.personId, 'email', 'Bo@Example.com');
    const { items } = (await send(people, admin.key)).body;
    expect(items.map((one: { name: string; identities: unknown }) => [one.name, one.identities])).toEqual([
      ['Ada', []],
      ['Ann', identities],
      ['Bo', [{ provider: 'email', externalId: 'bo@example.com' }]],
    ]);
    const gone = { method: 'DELETE' };
    expect((await send(`${people}/${bo.personId}/identities/slack/T1:U1`, admin.key, gone)).status).toBe(404);
    expect((await send(`${people}/${ann.personId}/identities/slack/T1:U1`, admin.key, gone)).body.identities).toEqual(
      [],
    );
    expect(await house.ledger.people.byIdentity('acme', { provider: 'slack', externalId: 'T1:U1' })).toBeNull();
  });

  it('have the form of their provider, and a person', async () => {
    const { personId } = await house.person('Cleo');
    for (const [provider, externalId] of [
      ['slack', 'U1'],
      ['email', 'cleo'],
      ['email', 'a@b,c@d'],
      ['webhook', 'relay'],
      ['irc', 'cleo'],
    ] as const) {
      expect([provider, (await link(personId, provider, externalId)).status]).toEqual([provider, 400]);
    }
    expect((await link('person_nobody', 'slack', 'T1:U9')).body.error.code).toBe('person.unknown');
  });
});

describe('where an answer was given', () => {
  it('is the terminal when a key says so, and the page for every cookie', async () => {
    const { key } = await house.person('Dora');
    const channel = { 'x-countersign-channel': 'cli' };
    const signIn = await send(`${house.urls[0]}/sign-in`, null, { body: { key } });
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { csrf } = (await send(`${house.urls[0]}/sign-in/session`, null, { headers: { cookie } })).body;
    const answer = async (secret: string | null, headers: Record<string, string>) => {
      const { askId } = await house.ask();
      const request = { body: { answer: 'reject' }, headers };
      return (await send(`${house.urls[0]}/v1/asks/${askId}/answer`, secret, request)).body.ask.resolvedVia;
    };
    expect(await answer(key, channel)).toBe('cli');
    expect(await answer(key, {})).toBe('web');
    expect(await answer(key, { 'x-countersign-channel': 'slack' })).toBe('web');
    expect(await answer(null, { cookie, 'x-csrf-token': csrf, ...channel })).toBe('web');
  });
});
