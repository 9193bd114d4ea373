import { startPostgres } from '/work/main/libs/testing/dist/postgres.js';
import { createLedger } from '/work/main/libs/ledger/dist/index.js';
import * as data from '/work/main/libs/ledger/dist/spec-data.js';
import pg from 'pg';
const p = await startPostgres(); const d = await p.createDatabase();
const ledger = createLedger({ databaseUrl: d.appUrl, poolSize: 2 });
await ledger.tenants.ensure({ id: 'acme', name: 'x' });
const N = Number(process.env.N ?? 128), ROUNDS = Number(process.env.R ?? 150);
const seqs = new Map();
const ids = Array.from({ length: N }, (_, i) => `sess_${i}`);
await ledger.append(ids.map((id) => data.unit(id, 0, [data.started(id)])));
for (const id of ids) seqs.set(id, 1);
let n = 0; const state = (await ledger.sessions.get('acme', 'sess_0')).state;
const epoch = (await ledger.tenants.get('acme')).epoch;
const cpu0 = process.cpuUsage();
const round = (hot) => {
  if (hot) { const evs = []; for (let i = 0; i < N; i++) evs.push(data.decided('sess_0', `u${n++}`)); return [data.unit('sess_0', seqs.get('sess_0'), evs, { state })]; }
  return ids.map((id) => data.unit(id, seqs.get(id), [data.decided(id, `u${n++}`)], { state, epochs: [{ tenantId: 'acme', epoch }] }));
};
for (const hot of [false, true]) {
  const t0 = performance.now(); let load = 0, app = 0; const c0 = process.cpuUsage();
  for (let r = 0; r < ROUNDS; r++) {
    const units = round(hot);
    const a = performance.now();
    await ledger.loadRound({ tenants: ['acme'], streams: (hot ? ['sess_0'] : ids).map((id) => ({ tenantId: 'acme', streamId: id, knownSeq: seqs.get(id) })), keys: units.flatMap((u) => u.streams[0].events.map((e) => ({ tenantId: 'acme', sessionId: u.streams[0].streamId, agent: 'claude-code', toolUseId: e.body.request.toolUseId, attempt: 1 }))), hashJoins: [] });
    const b = performance.now();
    const res = await ledger.append(units);
    app += performance.now() - b; load += b - a;
    for (const x of res) { if (!x.ok) throw new Error(JSON.stringify(x)); }
    if (hot) seqs.set('sess_0', seqs.get('sess_0') + N); else for (const id of ids) seqs.set(id, seqs.get(id) + 1);
  }
  const ms = performance.now() - t0; const c = process.cpuUsage(c0);
  console.log(hot ? 'hot' : '128', Math.round(N * ROUNDS / ms * 1000), 'calls/s; load ms', (load / ROUNDS).toFixed(2), 'append ms', (app / ROUNDS).toFixed(2), 'node cpu ms/round', ((c.user + c.system) / 1000 / ROUNDS).toFixed(2));
}
const o = new pg.Client(d.ownerUrl); await o.connect();
console.log((await o.query("select avg(length(body))::int b from events")).rows, (await o.query("select n_tup_hot_upd, n_tup_upd from pg_stat_user_tables where relname='heads'")).rows);
await o.end(); await ledger.close(); await d.drop(); await p.stop();
