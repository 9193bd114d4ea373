/** The guard at every door: the table of contracts says which roles may use a route; a route outside of the table is not served. */
import { DOORS, DoorError, type Door } from '@countersign/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from './auth.js';
import { CSRF_HEADER, type CookieSessions } from './cookie-sessions.js';
import type { Principal } from './principal.js';

export interface GuardOptions {
  readonly app: Door['app'];
  readonly authenticator: Authenticator;
  /** Present where browsers sign in: a cookie may take the place of the Authorization header. */
  readonly cookies?: CookieSessions;
  /** `GET` routes (as registered) outside of the table that need no key: static files, health. */
  readonly openRoutes: readonly string[];
}

export interface DoorGuard {
  /** Throws an Error that names every route without a row; call it once all routes are registered. */
  checkRoutes(): void;
  /** Lets the request pass, setting its principal, or throws a DoorError. */
  admit(request: FastifyRequest): Promise<void>;
  /** The same for a door that is no route of the framework, by key alone. */
  admitKey(method: Door['method'], path: string, authorization: string | undefined): Promise<Principal>;
  /** Whether a path exists with another method. */
  knowsPath(url: string): boolean;
}

/** Watches the routes as they are registered: make it before the first one. */
export function createDoorGuard(fastify: FastifyInstance, options: GuardOptions): DoorGuard {
  const doors = new Map(
    DOORS.filter((door) => door.app === options.app).map((door) => [keyOf(door.method, door.path), door]),
  );
  const open = new Set(options.openRoutes.map((path) => keyOf('GET', path)));
  const patterns = [...doors.values()].map((door) => patternOf(door.path));
  const unlisted = new Set<string>();
  fastify.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      const key = keyOf(method, route.url);
      if (!doors.has(key) && !open.has(key)) unlisted.add(key);
    }
  });
  return {
    checkRoutes: () => {
      if (unlisted.size > 0) throw new Error(`routes without a row in the door table: ${[...unlisted].join(', ')}`);
    },
    admit: async (request) => {
      const key = keyOf(request.method, request.routeOptions.url ?? '');
      const door = doors.get(key);
      // Unknown paths end as 404 without a look at the key.
      if (request.is404 || open.has(key) || door?.roles.length === 0) return;
      // INVARIANT: checkRoutes ran, so a route without a row cannot be reached; if it were, nobody passes.
      if (!door) throw new DoorError('door.unknown');
      const principal = await principalOf(request, options);
      if (!door.roles.includes(principal.role)) throw new DoorError('auth.wrong_role');
      request.principal = principal;
    },
    admitKey: async (method, path, authorization) => {
      const door = doors.get(keyOf(method, path));
      if (!door) throw new DoorError('door.unknown');
      const principal = await options.authenticator.byHeader(authorization);
      if (!door.roles.includes(principal.role)) throw new DoorError('auth.wrong_role');
      return principal;
    },
    knowsPath: (url) => {
      const path = (url.split('?', 1)[0] ?? '').replace(/\/{2,}/g, '/');
      return patterns.some((pattern) => pattern.test(path));
    },
  };
}

async function principalOf(request: FastifyRequest, { authenticator, cookies }: GuardOptions) {
  const { authorization, cookie } = request.headers;
  const session = authorization === undefined ? cookies?.read(cookie) : null;
  if (!cookies || !session) return authenticator.byHeader(authorization);
  const token = request.headers[CSRF_HEADER];
  const changes = !['GET', 'HEAD'].includes(request.method);
  if (changes && !cookies.csrfFits(session, typeof token === 'string' ? token : undefined)) {
    throw new DoorError('auth.csrf');
  }
  return authenticator.bySecretHash(session.subject);
}

/** HEAD is GET without a body, for the table too. */
function keyOf(method: string, path: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${path}`;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
}
