/**
 * The obvious build's gateway: the same server, keys and parsing as ours; then one BullMQ job per call, and `waitUntilFinished` for its
 * result. Nest's decorators are called as functions, since this file is compiled by nobody.
 */
import 'reflect-metadata';
import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { createLedger } from '@countersign/ledger';
import { authenticate, createLogger, createServerApp } from '@countersign/server';
import { buildCall } from '../../../apps/gateway/dist/calls/build-call.js';
import { openingFor } from '../../../apps/gateway/dist/sessions/opening.js';
import { createPolicyModes } from '../../../apps/gateway/dist/sessions/policy-modes.js';
import { readCall } from '../../../apps/gateway/dist/tool-calls/read-call.js';

const WAIT_MS = 25_000;
/** `waitUntilFinished` fails on a job that is gone before it looks, so finished jobs are kept for a while. */
const JOB = { removeOnComplete: 1_000, removeOnFail: 100 };
const { DATABASE_URL, REDIS_URL } = process.env;
const ledger = createLedger({ databaseUrl: DATABASE_URL });
const policyModes = createPolicyModes(ledger.policies, Date.now);
const options = { prefix: '{obvious}' };
const connect = () => new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const queue = new Queue('evaluate', { ...options, connection: connect() });
const events = new QueueEvents('evaluate', { ...options, connection: connect() });
// Every waiting call listens.
for (const emitter of [queue, events]) emitter.setMaxListeners(0);

class ToolCallsController {
  async decide(request) {
    const { body, args } = readCall(request.inspected);
    const { tenantId, keyId, sameHost, policy } = request.principal;
    const modes = await policyModes(tenantId, policy);
    const opened = openingFor(request.principal, { agent: body.agent ?? 'agent', cwd: body.cwd }, modes);
    if (!opened.ok) throw new Error(opened.message);
    const { sessionId, toolUseId, attempt = 1, tool, cwd = null, resolvedPaths = {}, description = null } = body;
    const caller = { tenantId, keyId, sameHost, opening: opened.opening, ancestors: [] };
    const said = { sessionId, toolUseId, attempt, tool, args, cwd, resolvedPaths, description };
    const call = buildCall({ ...caller, ...said, mode: null, joinsByHash: false });
    const job = await queue.add('evaluate', call, JOB);
    return job.waitUntilFinished(events, WAIT_MS);
  }
}
const decide = Object.getOwnPropertyDescriptor(ToolCallsController.prototype, 'decide');
Controller('v1/tool-calls')(ToolCallsController);
Post()(ToolCallsController.prototype, 'decide', decide);
HttpCode(200)(ToolCallsController.prototype, 'decide', decide);
Req()(ToolCallsController.prototype, 'decide', 0);

class GatewayModule {}
Module({ controllers: [ToolCallsController] })(GatewayModule);

await events.waitUntilReady();
const server = await createServerApp(GatewayModule, {
  app: 'gateway',
  host: '127.0.0.1',
  port: 0,
  logger: createLogger({ name: 'obvious', level: 'warn' }),
  authenticator: authenticate(ledger),
  idempotency: ledger.idempotency,
  lenientRoutes: ['/v1/tool-calls'],
  selfKeyedRoutes: ['/v1/tool-calls'],
});
console.log(`gateway: ${server.url} `);
process.on('SIGTERM', () => process.exit());
