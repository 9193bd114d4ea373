/**
 * A Slack workspace's side for tests: a server that speaks the Web API, checks what the client sends as Slack does, and plays
 * the people who press buttons, over HTTP with Slack's signature and over Socket Mode.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { blocksProblem, viewProblem } from './check-blocks.js';

type Json = Record<string, unknown>;

/** A message as the workspace has it now. */
export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  /** The message that it is a reply to; null: none. */
  readonly threadTs: string | null;
  text: string;
  blocks: Json[];
  /** How often it was rewritten. */
  updates: number;
}

/** What the workspace saw of one press: status and body, and how long the acknowledgement took. */
export interface PressResult {
  readonly status: number;
  readonly body: string;
  readonly tookMs: number;
}

/** A button on a message, and who presses it. */
export interface Press {
  readonly post: SlackPost;
  readonly label: string;
  readonly user: string;
}

export interface PressOptions {
  /** Seconds that the request's time differs from now; 0 unless given. */
  readonly skewSeconds?: number;
  readonly secret?: string;
  readonly headers?: Record<string, string>;
}

export interface SlackWorkspace {
  /** For the client: `…/api/`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly channel: string;
  /** Another one that the app is in. */
  readonly secondChannel: string;
  readonly posts: SlackPost[];
  /** What was whispered to one person: `{channel, user, text}`. */
  readonly whispers: { channel: string; user: string; text: string }[];
  /** Views that were opened, by trigger. */
  readonly views: { triggerId: string; view: Json }[];
  /** Calls that were refused: method and Slack's code. */
  readonly refused: { method: string; error: string }[];
  /** The next calls of `method` are answered so, in order: a code of Slack's, or `ratelimited:SECONDS`, or `http:500`. */
  failNext(method: string, ...answers: string[]): void;
  /** The next call of `method` is taken only when the function that it gives is called. */
  hold(method: string): () => void;
  /** Presses the button with this label on a message, as `user`; sends it to `url`, or over Socket Mode when null. */
  press(url: string | null, press: Press, options?: PressOptions): Promise<PressResult>;
  /** What Slack would send for that press, to be delivered more than once. */
  pressPayload(press: Press): Json;
  /** Submits the last view that was opened, with these fields. */
  submit(url: string | null, fields: Readonly<Record<string, string>>, user: string): Promise<PressResult>;
  /** Signs and posts any payload. */
  deliver(url: string, payload: unknown, options?: PressOptions): Promise<PressResult>;
  /** Cuts every Socket Mode connection, as Slack does when it recycles them. */
  recycleSockets(): void;
  close(): Promise<void>;
}

/** Slack shows whoever pressed an error when the acknowledgement takes longer. */
export const SLACK_ACK_MS = 3_000;

export async function startSlackWorkspace(): Promise<SlackWorkspace> {
  const state = newState();
  const server = createServer((request, response) => void handle(state, request, response));
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
    socket.on('message', (data) => acknowledged(state, String(data)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  state.socketUrl = `ws://127.0.0.1:${port}/socket`;
  const deliverTo = (url: string | null, payload: Json, options?: PressOptions) =>
    url === null ? overSocket(state, sockets, payload) : overHttp(state, url, payload, options);
  return {
    ...state.identity,
    apiUrl: `http://127.0.0.1:${port}/api/`,
    posts: state.posts,
    whispers: state.whispers,
    views: state.views,
    refused: state.refused,
    failNext: (method, ...answers) =>
      void state.failures.set(method, [...(state.failures.get(method) ?? []), ...answers]),
    hold: (method) => {
      let release = (): void => undefined;
      state.holds.set(method, new Promise<void>((resolve) => (release = resolve)));
      return () => release();
    },
    press: (url, press, options) => deliverTo(url, pressPayload(state, press), options),
    pressPayload: (press) => pressPayload(state, press),
    submit: (url, fields, user) => deliverTo(url, submitPayload(state, fields, user)),
    deliver: (url, payload, options) => overHttp(state, url, payload, options),
    recycleSockets: () => {
      for (const socket of sockets.clients) socket.close();
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface State {
  readonly byTs: Map<string, SlackPost>;
  readonly identity: {
    readonly botToken: string;
    readonly appToken: string;
    readonly signingSecret: string;
    readonly teamId: string;
    readonly channel: string;
    readonly secondChannel: string;
  };
  readonly posts: SlackPost[];
  readonly whispers: { channel: string; user: string; text: string }[];
  readonly views: { triggerId: string; view: Json }[];
  readonly refused: { method: string; error: string }[];
  readonly failures: Map<string, string[]>;
  readonly holds: Map<string, Promise<void>>;
  readonly triggers: Map<string, number>;
  readonly envelopes: Map<string, (payload: unknown) => void>;
  socketUrl: string;
  lastTs: number;
}

function newState(): State {
  return {
    identity: {
      botToken: `xoxb-${randomUUID()}`,
      appToken: `xapp-${randomUUID()}`,
      signingSecret: randomUUID(),
      teamId: 'T01HARBOR',
      channel: 'C07APPROVE',
      secondChannel: 'C08RELEASE',
    },
    byTs: new Map(),
    posts: [],
    whispers: [],
    views: [],
    refused: [],
    failures: new Map(),
    holds: new Map(),
    triggers: new Map(),
    envelopes: new Map(),
    socketUrl: '',
    lastTs: 1_796_027_442_000_000,
  };
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = (request.url ?? '').replace(/^\/api\//, '').split('?')[0] ?? '';
  const args = readArguments(await bodyOf(request));
  const held = state.holds.get(method);
  state.holds.delete(method);
  await held;
  const planned = state.failures.get(method)?.shift();
  if (planned?.startsWith('http:')) {
    response.writeHead(Number(planned.slice(5))).end('error');
    return;
  }
  if (planned?.startsWith('ratelimited:')) {
    response
      .writeHead(429, { 'retry-after': planned.slice(12) })
      .end(JSON.stringify({ ok: false, error: 'ratelimited' }));
    return;
  }
  const result = planned === undefined ? call(state, method, args, tokenOf(request, args)) : { error: planned };
  if ('error' in result) state.refused.push({ method, error: String(result['error']) });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: !('error' in result), ...result }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The client sends forms whose structured fields are JSON text. */
function readArguments(body: string): Json {
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([name, value]) => [name, /^[[{]/.test(value) ? JSON.parse(value) : value]),
  );
}

function tokenOf({ headers }: IncomingMessage, args: Json): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? String(args['token'] ?? '');
}

function call(state: State, method: string, args: Json, token: string): Json {
  const { appToken, botToken } = state.identity;
  if (method === 'apps.connections.open') {
    return token === appToken ? { url: state.socketUrl } : { error: 'invalid_auth' };
  }
  if (token !== botToken) return { error: token === '' ? 'not_authed' : 'invalid_auth' };
  switch (method) {
    case 'auth.test':
      return { team_id: state.identity.teamId, user_id: 'U0BOT', bot_id: 'B01' };
    case 'chat.postMessage':
      return post(state, args);
    case 'chat.update':
      return update(state, args);
    case 'chat.postEphemeral':
      return whisper(state, args);
    case 'views.open':
      return open(state, args);
    default:
      return { error: 'unknown_method' };
  }
}

function post(state: State, args: Json): Json {
  const problem = messageProblem(state, args) ?? threadProblem(state, args);
  if (problem !== null) return problem;
  state.lastTs += 100;
  const ts = `${String(state.lastTs).slice(0, 10)}.${String(state.lastTs).slice(10)}`;
  const channel = String(args['channel']);
  const threadTs = args['thread_ts'] === undefined ? null : String(args['thread_ts']);
  const made = { channel, ts, threadTs, text: String(args['text']), blocks: args['blocks'] as Json[], updates: 0 };
  state.posts.push(made);
  state.byTs.set(ts, made);
  return { channel, ts };
}

function update(state: State, args: Json): Json {
  const problem = messageProblem(state, args);
  if (problem !== null) return problem;
  const found = state.byTs.get(String(args['ts']));
  if (!found) return { error: 'message_not_found' };
  found.text = String(args['text']);
  found.blocks = args['blocks'] as Json[];
  found.updates += 1;
  return { channel: found.channel, ts: found.ts };
}

function messageProblem(state: State, args: Json): Json | null {
  const { channel, secondChannel } = state.identity;
  if (args['channel'] !== channel && args['channel'] !== secondChannel) return { error: 'channel_not_found' };
  if (typeof args['text'] !== 'string' || args['text'] === '') return { error: 'no_text' };
  if (args['text'].length > 40_000) return { error: 'msg_too_long' };
  const problem = blocksProblem(args['blocks']);
  return problem === null ? null : { error: 'invalid_blocks', response_metadata: { messages: [problem] } };
}

/** A reply names a message of the same channel that is no reply itself. */
function threadProblem(state: State, args: Json): Json | null {
  const { channel, thread_ts: threadTs } = args;
  if (threadTs === undefined) return null;
  if (typeof threadTs !== 'string' || !/^\d{10}\.\d{6}$/.test(threadTs)) return { error: 'invalid_thread_ts' };
  const parent = state.byTs.get(threadTs);
  if (parent?.channel !== channel) return { error: 'thread_not_found' };
  return parent?.threadTs === null ? null : { error: 'cannot_reply_to_message' };
}

function whisper(state: State, args: Json): Json {
  if (typeof args['text'] !== 'string' || args['text'] === '') return { error: 'no_text' };
  state.whispers.push({ channel: String(args['channel']), user: String(args['user']), text: args['text'] });
  return { message_ts: '1.0' };
}

function open(state: State, args: Json): Json {
  const triggerId = String(args['trigger_id']);
  const madeAt = state.triggers.get(triggerId);
  if (madeAt === undefined) return { error: 'exchanged_trigger_id' };
  state.triggers.delete(triggerId);
  if (Date.now() - madeAt > SLACK_ACK_MS) return { error: 'expired_trigger_id' };
  const problem = viewProblem(args['view']);
  if (problem !== null) return { error: 'invalid_arguments', response_metadata: { messages: [problem] } };
  state.views.push({ triggerId, view: args['view'] as Json });
  return { view: { id: 'V1', ...(args['view'] as Json) } };
}

function pressPayload(state: State, { post, label, user }: Press): Json {
  const buttons = post.blocks.filter(({ type }) => type === 'actions').flatMap(({ elements }) => elements as Json[]);
  const button = buttons.find(({ text }) => (text as Json)['text'] === label);
  if (!button)
    throw new Error(`the message has no button \`${label}\`, only ${JSON.stringify(buttons.map((b) => b['text']))}`);
  const triggerId = `9120044.${randomUUID()}`;
  state.triggers.set(triggerId, Date.now());
  const { teamId } = state.identity;
  return {
    type: 'block_actions',
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: teamId },
    api_app_id: 'A09CSIGN',
    token: 'deprecated',
    container: { type: 'message', message_ts: post.ts, channel_id: post.channel, is_ephemeral: false },
    trigger_id: triggerId,
    team: { id: teamId, domain: 'harbor' },
    channel: { id: post.channel, name: 'approvals' },
    message: { type: 'message', ts: post.ts, bot_id: 'B01', text: post.text },
    state: { values: {} },
    response_url: 'https://hooks.slack.invalid/actions/T01HARBOR/1/abc',
    actions: [{ ...button, action_ts: `${Math.floor(Date.now() / 1000)}.118200` }],
  };
}

function submitPayload(state: State, fields: Readonly<Record<string, string>>, user: string): Json {
  const view = state.views.at(-1)?.view;
  if (!view) throw new Error('no view was opened');
  const inputs = (view['blocks'] as Json[]).filter(({ type }) => type === 'input');
  const values = Object.fromEntries(
    inputs.map((block) => {
      const id = String(block['block_id']);
      const element = block['element'] as Json;
      return [id, { [id]: fieldValue(element, fields[id]) }];
    }),
  );
  const { teamId } = state.identity;
  return {
    type: 'view_submission',
    team: { id: teamId, domain: 'harbor' },
    user: { id: user, username: user.toLowerCase(), team_id: teamId },
    view: { id: 'V1', ...view, state: { values } },
  };
}

function fieldValue(element: Json, given: string | undefined): Json {
  if (element['type'] === 'plain_text_input') {
    return { type: element['type'], value: given ?? (element['initial_value'] as string | undefined) ?? null };
  }
  const options = element['options'] as Json[];
  const chosen = given === undefined ? element['initial_option'] : options.find(({ value }) => value === given);
  if (chosen === undefined) throw new Error(`no option \`${given}\``);
  return { type: element['type'], selected_option: chosen };
}

async function overHttp(state: State, url: string, payload: unknown, options: PressOptions = {}): Promise<PressResult> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000) + (options.skewSeconds ?? 0));
  const secret = options.secret ?? state.identity.signingSecret;
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  const startedAt = Date.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signature,
      ...options.headers,
    },
    body,
  });
  return { status: response.status, body: await response.text(), tookMs: Date.now() - startedAt };
}

async function overSocket(state: State, sockets: WebSocketServer, payload: Json): Promise<PressResult> {
  const [socket] = [...sockets.clients].filter((one: WebSocket) => one.readyState === one.OPEN);
  if (!socket) throw new Error('nobody is connected over Socket Mode');
  const envelopeId = randomUUID();
  const startedAt = Date.now();
  const answer = new Promise<unknown>((resolve) => state.envelopes.set(envelopeId, resolve));
  socket.send(
    JSON.stringify({ type: 'interactive', envelope_id: envelopeId, payload, accepts_response_payload: true }),
  );
  const body = JSON.stringify(await answer);
  return { status: 200, body: body === '{}' ? '' : body, tookMs: Date.now() - startedAt };
}

function acknowledged(state: State, text: string): void {
  const { envelope_id: id, payload } = JSON.parse(text) as { envelope_id: string; payload?: unknown };
  state.envelopes.get(id)?.(payload ?? {});
  state.envelopes.delete(id);
}
