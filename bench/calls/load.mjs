/**
 * The load generator, a process of its own: keep-alive connections that each send one call, wait for its answer and send the next.
 * It speaks HTTP/1.1 on plain sockets, so that little of the machine goes to asking. Told by messages of its parent.
 */
import { connect } from 'node:net';
import { bodyOf } from './calls.mjs';

/** Every answer's time in microseconds, by label. */
const times = new Map();

/** One connection; `end` resolves once its last answer has come. */
function startConnection(run, sessionId) {
  const socket = connect({ host: run.host, port: run.port, noDelay: true });
  let sentAt = 0;
  let text = '';
  const send = () => {
    const body = bodyOf(sessionId, (run.next += 1));
    sentAt = performance.now();
    socket.write(`${run.head}${Buffer.byteLength(body)}\r\n\r\n${body}`, 'latin1');
  };
  const ended = new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('a connection was closed')));
    socket.on('data', (chunk) => {
      text += chunk.latin1Slice();
      const answer = readAnswer(text);
      if (answer === null) return;
      text = '';
      take(run, answer, sentAt);
      if (!run.over) send();
      else {
        socket.removeAllListeners('close');
        socket.end();
        resolve();
      }
    });
  });
  socket.once('connect', send);
  return ended;
}

/** Null while the answer is not complete. Every server here sends a Content-Length. */
function readAnswer(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, 200)}`);
  return text.length >= end + 4 + Number(length) ? text : null;
}

function take(run, answer, sentAt) {
  const now = performance.now();
  run.answered += 1;
  const good = answer.startsWith('HTTP/1.1 200') && answer.includes(run.expected);
  if (!good) {
    run.bad += 1;
    run.firstBad ??= answer.slice(0, 600);
  } else if (sentAt >= run.countFrom && now <= run.countTo) run.times.push(Math.round((now - sentAt) * 1_000));
}

/** `settle` and `seconds`: only calls sent after the first and answered before the second are counted. */
async function runLoad({ label, url, key, connections, sessions, settle, seconds, expected }) {
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const head =
    `POST /v1/tool-calls HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n` +
    'Content-Type: application/json\r\nContent-Length: ';
  const countFrom = started + settle * 1_000;
  const countTo = countFrom + seconds * 1_000;
  const kept = times.get(label) ?? [];
  times.set(label, kept);
  const run = {
    host: hostname,
    port,
    head,
    expected,
    countFrom,
    countTo,
    next: 0,
    over: false,
    answered: 0,
    bad: 0,
    times: kept,
  };
  const before = kept.length;
  const all = Array.from({ length: connections }, (_, n) => startConnection(run, sessions[n % sessions.length]));
  setTimeout(() => (run.over = true), countTo - started);
  await Promise.all(all);
  return { answered: run.answered, counted: kept.length - before, bad: run.bad, firstBad: run.firstBad ?? null };
}

function summaryOf(label) {
  const sorted = Uint32Array.from(times.get(label) ?? []).sort();
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1_000;
  return { counted: sorted.length, p50: at(0.5), p99: at(0.99) };
}

process.on('message', async ({ id, run, summary }) => {
  try {
    process.send({ id, result: run ? await runLoad(run) : summaryOf(summary) });
  } catch (error) {
    process.send({ id, error: String(error?.message ?? error) });
  }
});
process.on('disconnect', () => process.exit());
