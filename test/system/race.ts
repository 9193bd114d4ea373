/** The race for one ask: fifty people answer it at once at two approvers; exactly one of them decides. */
import { expect } from '@jest/globals';
import type { ApartHouse } from './apart-house.js';
import { answerAsk, askOf, eventsOf, send, type Answer } from './doors.js';

export const PEOPLE = 50;
export const RACE_POLICY = { ask: ['Bash(make *)'] };

export interface Racer {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

/** People with a key each, made as an administrator makes them. */
export async function enrol(house: ApartHouse): Promise<Racer[]> {
  const { adminKey: key } = house.keys;
  const [door] = house.approvers;
  const racers: Racer[] = [];
  for (let number = 1; number <= PEOPLE; number += 1) {
    const name = `Person ${number}`;
    const person = await send(`${door}/v1/people`, { key, body: { name } });
    const made = await send(`${door}/v1/people/${person.body.id}/keys`, { key, body: {} });
    expect([person.status, made.status]).toEqual([201, 201]);
    racers.push({ id: String(person.body.id), name, key: String(made.body['secret']) });
  }
  return racers;
}

/** What one race came to. */
export interface Finish {
  readonly won: number;
  readonly refused: number;
  /** Refusals that named the winner, the moment and the channel. */
  readonly named: number;
}

const answerOf = (place: number): 'approve' | 'reject' => (place % 3 === 0 ? 'reject' : 'approve');

/** One race. Throws where the ask, the waiting call or the log tell another story than the winner's. */
export async function runRace(house: ApartHouse, racers: readonly Racer[], sessionId: string): Promise<Finish> {
  const [gateway] = house.gateways;
  const body = { sessionId, toolUseId: 'only', tool: 'Bash', args: { command: 'make it' }, cwd: '/srv', wait: 60 };
  const waiting = send(`${gateway}/v1/tool-calls`, { key: house.keys.agentKey, body });
  const ask = await askOf({ url: house.approvers[0] ?? '', key: house.keys.approverKey }, sessionId);
  const answers = await Promise.all(
    racers.map(({ key }, place) => {
      const url = house.approvers[place % house.approvers.length] ?? '';
      return answerAsk({ url, key }, ask.id, answerOf(place));
    }),
  );
  const places = answers.flatMap(({ status }, place) => (status === 200 ? [place] : []));
  const winner = racers[places[0] ?? -1];
  const losers = answers.filter(({ status }) => status !== 200);
  const told = await waiting;
  expect(told.body.decision).toBe(answerOf(places[0] ?? 0) === 'approve' ? 'allow' : 'deny');
  await expectRecord(house, { sessionId, winner });
  return {
    won: places.length,
    refused: losers.filter(isRefusal).length,
    named: losers.filter(({ body: { error } }) => isNamed(error?.details, winner)).length,
  };
}

const isRefusal = ({ status, body }: Answer): boolean => status === 409 && body.error?.code === 'ask.already_resolved';

const isNamed = (details: Answer['body'] | undefined, winner: Racer | undefined): boolean =>
  winner !== undefined && details?.['by'] === winner.name && details['via'] === 'web' && Boolean(details['at']);

/** One answer, one decision by the winner, and every refusal kept with who was refused. */
async function expectRecord(
  house: ApartHouse,
  { sessionId, winner }: { sessionId: string; winner: Racer | undefined },
): Promise<void> {
  const events = await eventsOf({ url: house.approvers[0] ?? '', key: house.keys.auditorKey }, `session=${sessionId}`);
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(of('AskAnswered').map(({ personId }) => personId)).toEqual([winner?.id]);
  expect(of('ToolCallDecided').map(({ personId }) => personId)).toEqual([winner?.id]);
  const refused = new Set(of('AskAnswerRefused').map(({ personId }) => personId));
  expect([refused.size, refused.has(winner?.id ?? '')]).toEqual([PEOPLE - 1, false]);
}

/** Runs races one after the other, prints the sums and gives them. */
export async function runRaces(house: ApartHouse, count: number): Promise<Finish> {
  const racers = await enrol(house);
  const sums = { won: 0, refused: 0, named: 0 };
  for (let race = 1; race <= count; race += 1) {
    const { won, refused, named } = await runRace(house, racers, `race-${race}`);
    sums.won += won;
    sums.refused += refused;
    sums.named += named;
  }
  process.stdout.write(
    `race: ${count} asks, ${PEOPLE} people each: ${sums.won} answers won, ${sums.refused} were refused, ` +
      `${sums.named} refusals named the winner\n`,
  );
  return sums;
}
