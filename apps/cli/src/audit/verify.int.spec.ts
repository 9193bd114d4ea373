/** `audit verify` on a real database and through a service: what it prints and with which code it ends. */
import { createServer } from 'node:http';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createLedger } from '@countersign/ledger';
import { startPostgres } from '@countersign/testing';
import { readCliEnv, type CliEnv } from '../env.js';
import { writeEndpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';
import { join } from 'node:path';
import { renderReport, verifyLog } from './verify.js';

const home = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
chmodSync(home, 0o700);
afterAll(() => rmSync(home, { recursive: true, force: true }));

function settings(more: Record<string, string>): CliEnv {
  const read = readCliEnv({ COUNTERSIGN_HOME: home, ...more });
  if (!read.ok) throw new Error(read.problems.join());
  return read.env;
}

async function verify(env: CliEnv, { json = false, screen = false } = {}) {
  const output = new PassThrough();
  const complaints = Object.assign(new PassThrough(), { isTTY: screen });
  const code = await verifyLog(env, { json, output, complaints });
  const text = (stream: PassThrough) => ((stream.read() as Buffer | null) ?? '').toString();
  return { code, output: text(output), complaint: text(complaints) };
}

describe('audit verify', () => {
  it('reads a database directly', async () => {
    const postgres = await startPostgres();
    const database = await postgres.createDatabase();
    const ledger = createLedger({ databaseUrl: database.appUrl });
    await ledger.tenants.ensure({ id: 'default', name: 'default' });
    await ledger.close();
    const result = await verify(settings({ DATABASE_URL: database.appUrl }), { json: true });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.output)).toEqual({ streams: 1, events: 1, problems: [] });
    await database.drop();
    await postgres.stop();
  }, 120_000);

  it('asks the service, and names each broken place', async () => {
    const problems = [{ tenantId: 'default', streamId: 's1', seq: 7, problem: 'the hash does not fit' }];
    const service = createServer((request, response) => {
      const known = request.headers.authorization === 'Bearer auditor';
      response.writeHead(known ? 200 : 401).end(JSON.stringify({ streams: 2, events: 30, problems }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const keys = { agentKey: 'agent', approverKey: 'approver', auditorKey: 'auditor', adminKey: 'admin' };
    await writeEndpoints(homeLayout(home).endpoints, { gateway: url, console: url, ...keys });
    expect(await verify(settings({}))).toEqual({
      code: 1,
      output: 's1 #7: the hash does not fit\n30 events in 2 streams: 1 problem\n',
      complaint: '',
    });
    await writeEndpoints(homeLayout(home).endpoints, { gateway: url, console: url, ...keys, auditorKey: 'other' });
    expect(await verify(settings({}))).toMatchObject({ code: 2, complaint: expect.stringContaining('HTTP 401') });
    service.close();
    service.closeAllConnections();
    expect(await verify(settings({}))).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('does not answer'),
    });
  });

  it('waits for a service that takes its time, and says so on the screen only', async () => {
    const service = createServer((request, response) => {
      const text = JSON.stringify({ streams: 1, events: 1, problems: [] });
      setTimeout(() => response.end(request.url === '/v1/verify' ? text : '<html>'), 1_300);
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const keys = { agentKey: 'agent', approverKey: 'approver', auditorKey: 'auditor', adminKey: 'admin' };
    await writeEndpoints(homeLayout(home).endpoints, { gateway: url, console: url, ...keys });
    const [shown, silent, json] = await Promise.all([
      verify(settings({}), { screen: true }),
      verify(settings({})),
      verify(settings({}), { screen: true, json: true }),
    ]);
    expect(shown.output).toBe('1 events in 1 streams: unbroken\n');
    expect(shown.complaint).toMatch(/^\rthe service is checking the log, 1 s …\r +\r$/);
    expect([silent.complaint, json.complaint]).toEqual(['', '']);
    await writeEndpoints(homeLayout(home).endpoints, { gateway: url, console: `${url}/other`, ...keys });
    expect(await verify(settings({}))).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('sent no report: <html>'),
    });
    service.close();
    service.closeAllConnections();
  });

  it('says that it could not check without a service or a database', async () => {
    rmSync(homeLayout(home).endpoints);
    expect(await verify(settings({}))).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('no service is known'),
    });
    const nowhere = settings({ DATABASE_URL: 'postgresql://a:b@127.0.0.1:9/x' });
    expect(await verify(nowhere)).toMatchObject({ code: 2, complaint: expect.stringContaining('cannot be read') });
  });

  it('sums up an unbroken log in one line', () => {
    expect(renderReport({ streams: 1, events: 2, problems: [] })).toBe('2 events in 1 streams: unbroken\n');
  });
});
