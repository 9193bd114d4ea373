/** The live line: asks that open and close, pushed over a websocket. A hint only; the list is always read again on connect. */
import { io } from '/page/socket.io.js';

const RETRY_MS = 3_000;

/**
 * Opens the line. `on` holds `state(text, name)`, `opened(ask)`, `closed(notice)`, `late(notice)`, `killed()`, `caughtUp()` and `signedOut()`, which
 * resolves when the person is still signed in. `caughtUp` is called whenever the list has to be read again.
 */
export function connectLive(on) {
  const socket = io('/approvals', { transports: ['websocket'], reconnectionDelayMax: 5_000 });
  const live = () => {
    on.state('Live', 'live');
    on.caughtUp();
  };
  const paused = () => on.state('Live updates paused', 'paused');
  // socket.io comes back by itself from a lost connection, but not from a refusal by the server.
  const afterRefusal = async () => {
    await on.signedOut();
    setTimeout(() => socket.connect(), RETRY_MS);
  };
  socket.on('connect', live);
  socket.on('line.resumed', live);
  socket.on('line.paused', paused);
  socket.on('disconnect', (reason) => {
    paused();
    if (reason === 'io server disconnect') void afterRefusal();
  });
  socket.on('connect_error', () => {
    paused();
    if (!socket.active) void afterRefusal();
  });
  socket.on('ask.opened', ({ ask }) => on.opened(ask));
  socket.on('ask.closed', (notice) => on.closed(notice));
  socket.on('ask.late', (notice) => on.late(notice));
  socket.on('kill.changed', () => on.killed());
  addEventListener('pagehide', () => socket.disconnect());
  addEventListener('pageshow', (event) => event.persisted && socket.connect());
}
