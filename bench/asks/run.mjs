/**
 * `npm run bench:asks`: ten thousand open asks. How long a page of the list takes, the whole list, an answer, and how long after its
 * deadline an ask ends. Prints its figures as one line of JSON, the last. `-- --asks N` takes another number,
 * `-- --profile DIR` writes CPU profiles of our own processes.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { buildOrExit } from '../../scripts/build.mjs';
import { commandLine, positive, readValues, refusal } from '../command-line.mjs';

const say = (line) => process.stderr.write(`${line}\n`);
const HELP = `npm run bench:asks -- [options]
  --asks N       open asks (10000, at least 100)
  --expire N     so many of them run out of time together (1000, or a tenth of them)
  --profile DIR  write CPU profiles of our own processes there`;
const { ASKS, EXPIRING, PROFILE } = commandLine(HELP, (args) => {
  const strings = ['asks', 'expire', 'profile'].map((name) => [name, { type: 'string' }]);
  const values = readValues(args, HELP, Object.fromEntries(strings));
  const asks = positive(values.asks, 10_000, HELP);
  if (!Number.isInteger(asks) || asks < 100) throw refusal('--asks takes a whole number, 100 at least', HELP);
  // The others stay open.
  const expiring = positive(values.expire, Math.min(1_000, Math.floor(asks / 10)), HELP);
  if (!Number.isInteger(expiring) || expiring > asks) throw refusal('--expire takes a whole number up to --asks', HELP);
  return { ASKS: asks, EXPIRING: expiring, PROFILE: values.profile ?? null };
});
const ANSWERED = Math.min(2_000, Math.floor(ASKS / 5));
/** Longer than it takes to open them all. */
const EXPIRE_SECONDS = 20 + Math.ceil(EXPIRING / 50);
const PAGE = 100;
const POLICY = {
  ask: ['Bash(make *)'],
  breaker: { inARow: 1_000_000, total: 1_000_000, counts: [] },
  askTimeout: { after: 86_400, outcome: 'deny' },
  askCaps: { perSession: 100_000, perMinute: 100_000 },
};

await buildOrExit();
const { measured, openHouse, percentiles, send, timed } = await import('./house.mjs');
const { inDatabase } = await import('../calls/ground.mjs');

const closing = [];
async function closeAll() {
  for (const close of closing.splice(0).reverse()) await close();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void closeAll().finally(() => process.exit(130)));

const publish = ({ approver, keys }, policy) =>
  send(`${approver}/v1/policies/default`, keys.adminKey, policy, 'PUT').then(() => pause(1_500));

/** So many sessions ask by turns that none has more open questions than one may have. */
const SESSIONS = 200;
function ask({ gateway, keys }, nth, name) {
  const body = {
    ...{ sessionId: `${name}-${nth % SESSIONS}`, toolUseId: `${name}-${nth}`, tool: 'Bash', cwd: '/srv', wait: 0 },
    args: { command: `make part-${nth}` },
  };
  return send(`${gateway}/v1/tool-calls`, keys.agentKey, body);
}

/** Every open ask, page by page; gives their ids. */
async function wholeList({ approver, keys }) {
  const ids = [];
  let cursor = null;
  do {
    const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await send(`${approver}/v1/asks?status=open&limit=${PAGE}${at}`, keys.approverKey);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== null);
  return ids;
}

/** Gives all of them the deadline of the last one, for which a timer is set as for every other. */
async function alignDeadlines({ ownerUrl }) {
  const text = `UPDATE asks SET deadline = (SELECT max(deadline) FROM asks WHERE session_id LIKE 'short-%')
    WHERE session_id LIKE 'short-%' AND status = 'open'`;
  const { rowCount } = await inDatabase(ownerUrl, (client) => client.query(text));
  if (rowCount !== EXPIRING)
    throw new Error(`${EXPIRING - rowCount} asks ran out of time while the others were opened`);
}

/** How long after their deadlines these asks ended, by the database's clock. */
async function lateness({ ownerUrl }) {
  const text = `SELECT extract(epoch FROM resolved_at - deadline) * 1000 AS late FROM asks WHERE status = 'expired'`;
  const rows = await inDatabase(ownerUrl, async (client) => (await client.query(text)).rows);
  return rows.map(({ late }) => Number(late));
}

async function expire(house) {
  await publish(house, { ...POLICY, askTimeout: { after: EXPIRE_SECONDS, outcome: 'deny' } });
  const opening = await measured(house, EXPIRING, 64, (nth) => ask(house, nth, 'short'));
  await alignDeadlines(house);
  for (let waited = 0; waited < EXPIRE_SECONDS + 60; waited += 1) {
    const late = await lateness(house);
    if (late.length === EXPIRING) return { asks: EXPIRING, opening, afterDeadlineMs: percentiles(late) };
    await pause(1_000);
  }
  throw new Error('the asks did not expire');
}

try {
  const loadBefore = loadavg()[0];
  const house = await openHouse(closing, PROFILE);
  await publish(house, POLICY);
  say(`opening ${ASKS} asks …`);
  const opening = await measured(house, ASKS, 64, (nth) => ask(house, nth, 'long'));
  say('listing …');
  const url = `${house.approver}/v1/asks?status=open&limit=${PAGE}`;
  const firstPageMs = await timed(200, 1, () => send(url, house.keys.approverKey));
  let ids = [];
  const wholeListMs = await timed(1, 1, async () => (ids = await wholeList(house)));
  if (new Set(ids).size !== ASKS) throw new Error(`the list has ${new Set(ids).size} asks of ${ASKS}`);
  say('answering …');
  const answerMs = await measured(house, ANSWERED, 16, (nth) =>
    send(`${house.approver}/v1/asks/${ids[nth * 5]}/answer`, house.keys.approverKey, { answer: 'approve' }),
  );
  say(`${EXPIRING} run out of time …`);
  const expiry = await expire(house);
  const figures = { bench: 'asks', asks: ASKS, load: { before: loadBefore, after: loadavg()[0] } };
  console.log(JSON.stringify({ ...figures, opening, firstPageMs, wholeListMs: wholeListMs.max, answerMs, expiry }));
} finally {
  await closeAll();
}
