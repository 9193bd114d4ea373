/** The page's way to the server: JSON over fetch, with the CSRF token on whatever changes something. */

/** A refusal by the server, with its code and details. */
export class Refusal extends Error {
  constructor(status, code, message, details) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details ?? {};
  }
}

let csrf = '';

/** Who is signed in; keeps the CSRF token for later requests. Null when nobody is. */
export async function signedIn() {
  try {
    const session = await get('/sign-in/session');
    csrf = session.csrf;
    return session;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

/** GET; resolves to the parsed body or throws a Refusal. */
export const get = (path) => request('GET', path);

/** POST; `body` is JSON text or what becomes it, `headers` may hold an Idempotency-Key. */
export const post = (path, body, headers = {}) => request('POST', path, body, headers);

/** DELETE; resolves as `post` does. */
export const remove = (path) => request('DELETE', path, {});

async function request(method, path, body, headers = {}) {
  const changing = method !== 'GET';
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      ...(changing ? { 'content-type': 'application/json', 'x-csrf-token': csrf } : {}),
      ...headers,
    },
    ...(changing ? { body: textOf(body) } : {}),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  const parsed = parse(text);
  if (!response.ok) {
    const error = parsed?.error ?? {};
    throw new Refusal(response.status, error.code ?? '', error.message ?? `HTTP ${response.status}`, error.details);
  }
  return parsed;
}

const textOf = (body) => (typeof body === 'string' ? body : JSON.stringify(body ?? {}));

function parse(text) {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
