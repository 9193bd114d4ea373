/** One of several processes that decide, answer, cancel, grant and kill on the same sessions of one database, at random. */
import { runRound } from '../../apps/worker/dist/rounds/round.js';
import { asItem, makeCall, roundDeps, TENANT } from '../../apps/worker/dist/rounds/round-fixture.js';
import { createLedger } from '../../libs/ledger/dist/index.js';

const [databaseUrl, name, seconds, works, seed] = process.argv.slice(2);
const ledger = createLedger({ databaseUrl, poolSize: 6 });
const faults = [];
const deps = roundDeps(ledger, faults);
const summary = { name, done: {}, refused: {}, faults, errors: [] };
const recent = [];
const ANN = { channel: 'web', personId: 'person_ann', personName: 'Ann' };

/** Mulberry32: the same seed gives the same wishes; what comes of them is up to the other processes. */
function chanceOf(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const chance = chanceOf(Number(seed));
const below = (limit) => Math.floor(chance() * limit);
const pick = (items) => items[below(items.length)];
const session = () => `s${below(24)}`;
const target = () => ({ tenantId: TENANT, sessionId: session() });
let counter = 0;
const fresh = (kind) => `${kind}_${name}_${(counter += 1)}`;

/** Every third session is a child of the one before it. */
function callIn(sessionId) {
  const number = Number(sessionId.slice(1));
  const parentId = number % 3 === 1 ? `s${number - 1}` : null;
  const command = pick(['ls', 'ls', 'ls', 'npm test', 'npm run build', 'rm -rf /']);
  return makeCall({ sessionId, args: { command }, opening: { parentId }, toolUseId: fresh('use') });
}

async function decide() {
  const calls = Array.from({ length: 1 + below(12) }, () => callIn(session()));
  const { settled } = await runRound(
    calls.map((call) => asItem(call)),
    deps,
  );
  for (const { item, outcome } of settled) {
    if (outcome.decision === 'allow') recent.push({ callId: item.call.id, sessionId: item.call.sessionId });
  }
  recent.splice(0, Math.max(0, recent.length - 100));
}

async function execute(to, command) {
  const result = await ledger.execute(to, command);
  if (!result.ok) summary.refused[result.code] = (summary.refused[result.code] ?? 0) + 1;
}

async function answer() {
  const { items } = await ledger.asks.list({ tenantId: TENANT, status: 'open', limit: 50 });
  const ask = pick(items);
  if (!ask) return;
  const scope = pick(['once', 'once', 'session', 'always']);
  const wide = scope === 'always' ? { pattern: 'Bash(npm *)', tenantWide: true, uses: 1 + below(5) } : {};
  await execute(
    { tenantId: TENANT, sessionId: ask.sessionId },
    {
      type: 'AnswerAsk',
      askId: ask.id,
      answer: pick(['approve', 'approve', 'reject', 'cancel']),
      scope,
      by: ANN,
      reason: null,
      grantId: fresh('grant'),
      ...wide,
    },
  );
}

const GRANT = {
  kind: 'always',
  tool: 'Bash',
  argsHash: null,
  pattern: 'Bash(npm *)',
  liftsRuleIds: ['default.ask'],
  askId: 'ask_none',
  personId: 'person_ann',
  expiresAt: null,
};

async function grant() {
  if (chance() < 0.5) {
    const made = { ...GRANT, id: fresh('grant'), uses: pick([null, 1, 3, 10]) };
    await ledger.executeTenant(TENANT, { type: 'CreateGrant', grant: made });
    return;
  }
  const { items } = await ledger.grants.list({ tenantId: TENANT, sessionId: null, status: 'active', limit: 50 });
  const some = pick(items);
  if (some) await ledger.executeTenant(TENANT, { type: 'RevokeGrant', grantId: some.id, by: 'Ann' });
}

async function kill() {
  const killId = fresh('kill');
  const scope = pick(['session', 'tool', 'agent']);
  const value = scope === 'session' ? session() : scope === 'tool' ? 'Bash' : 'tester';
  await ledger.executeTenant(TENANT, { type: 'EngageKill', killId, scope, value, reason: 'drill', by: 'Ann' });
  await new Promise((resolve) => setTimeout(resolve, below(40)));
  await ledger.executeTenant(TENANT, { type: 'ReleaseKill', killId, by: 'Ann' });
}

async function end() {
  const to = target();
  await execute(
    to,
    pick([
      { type: 'CancelSession', reason: 'drill', by: 'Ann' },
      { type: 'StopSession', reason: 'drill', by: 'Ann' },
    ]),
  );
  await execute(to, { type: 'StopSession', reason: 'drill', by: 'Ann' });
  await execute(to, { type: 'ResetBreaker', by: 'Ann' });
}

async function run() {
  const call = pick(recent);
  if (!call) return;
  const to = { tenantId: TENANT, sessionId: call.sessionId };
  await execute(to, { type: 'RedeemPermit', callId: call.callId, permitId: fresh('permit'), keyId: 'key-1' });
  const report = { tool: 'Bash', status: 'succeeded', elapsedMs: 1, preview: 'ok', outputHash: null, error: null };
  await execute(to, { type: 'ReportResult', callId: call.callId, ...report });
}

async function people() {
  await ledger.people.create({ tenantId: TENANT, name: fresh('person'), groups: [], roles: ['approver'], by: 'Ann' });
}

const WORK = { decide: 50, answer: 18, grant: 7, run: 10, end: 8, kill: 4, people: 3 };
const DO = { decide, answer, grant, run, end, kill, people };
const NAMES = Object.entries(WORK).flatMap(([what, weight]) => Array(weight).fill(what));

async function oneAfterAnother(until) {
  for (let worked = 0; worked < Number(works) || Date.now() < until; worked += 1) {
    const what = pick(NAMES);
    try {
      await DO[what]();
      summary.done[what] = (summary.done[what] ?? 0) + 1;
    } catch (error) {
      if (summary.errors.length < 20) summary.errors.push(`${what}: ${error.code ?? ''} ${error.message}`);
    }
  }
}

// Two at once in every process, as people answer while the worker decides.
const until = Date.now() + Number(seconds) * 1_000;
await Promise.all([oneAfterAnother(until), oneAfterAnother(until)]);
await ledger.close();
process.stdout.write(`${JSON.stringify(summary)}\n`);
