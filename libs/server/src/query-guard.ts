/** Refuses parameters of a url that a door does not know: who filters by a misspelt one would take the whole list for the answer. */
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { DoorError, escapeForDisplay } from '@countersign/contracts';
import type { FastifyRequest } from 'fastify';

/** Only these doors: what mails and pages link to may carry what others add on the way. */
const DOOR_PATHS = '/v1/';
/** Of names that are told back. */
const MOST_NAMES = 20;
const NAME_CHARS = 64;

/** Knows the parameters of a route by the decorators of its method: the one place for every door that is read. */
@Injectable()
export class QueryGuard implements CanActivate {
  private readonly known = new WeakMap<object, ReadonlySet<string>>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.method !== 'GET' && request.method !== 'HEAD') return true;
    const given = Object.keys((request.query as object | null) ?? {});
    if (given.length === 0 || request.routeOptions.url?.startsWith(DOOR_PATHS) !== true) return true;
    const known = this.knownBy(context);
    const unknown = given.filter((name) => !known.has(name));
    if (unknown.length > 0) throw refusal(unknown, known);
    return true;
  }

  private knownBy(context: ExecutionContext): ReadonlySet<string> {
    const handler = context.getHandler();
    const before = this.known.get(handler);
    if (before !== undefined) return before;
    const names = new Set(parametersOf(context.getClass(), handler.name));
    this.known.set(handler, names);
    return names;
  }
}

/** Of one decorated argument, as Nest notes it. */
interface RouteArgument {
  readonly data?: unknown;
  readonly schema?: { readonly shape?: Readonly<Record<string, unknown>> };
}

function parametersOf(controller: object, method: string): string[] {
  const noted = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<string, RouteArgument>;
  return Object.entries(noted)
    .filter(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`))
    .flatMap(([, { data, schema }]) => (typeof data === 'string' ? [data] : Object.keys(schema?.shape ?? {})));
}

function refusal(unknown: readonly string[], known: ReadonlySet<string>): DoorError {
  const takes = known.size === 0 ? 'this door takes none' : `this door takes ${[...known].join(', ')}`;
  const problems = unknown.slice(0, MOST_NAMES).map((name) => ({
    path: escapeForDisplay([...name].slice(0, NAME_CHARS).join('')),
    message: `is no known parameter: ${takes}`,
  }));
  return new DoorError('request.invalid', undefined, { problems });
}
