/** Who stands behind a request, and what a request carries once it passed the door. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DoorError, type InspectedJson, type Mode, type Right, type Role } from '@countersign/contracts';
import type { FastifyRequest } from 'fastify';

/** The key of a request with everything that its sessions may inherit from it. */
export interface Principal {
  readonly keyId: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly personId: string | null;
  readonly personName: string | null;
  /** Name of the policy of sessions that this key opens. */
  readonly policy: string;
  readonly mode: Mode | null;
  /** Folders that its sessions may use; empty: the first working directory. */
  readonly roots: readonly string[];
  readonly home: string | null;
  /** The worker sees the file system of whoever uses this key. */
  readonly sameHost: boolean;
  /** Beyond the role; absent: none. */
  readonly rights?: readonly Right[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on doors that need no key. */
    principal: Principal | null;
    /** The body's text, value and flaws; null without a JSON body. */
    inspected: InspectedJson | null;
    /** Ids that belong into the log line of this request. */
    logFields: Record<string, string>;
  }
}

/** Parameter decorator: the Principal of the request. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new DoorError('auth.missing');
  return principal;
});

/** Parameter decorator: the inspected JSON body; a request without one is `request.malformed`. */
export const InspectedBody = createParamDecorator((_data: unknown, context: ExecutionContext): InspectedJson => {
  const { inspected } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!inspected) throw new DoorError('request.malformed');
  return inspected;
});

/** Adds ids (call, session, ask) to the request's log line. */
export function noteForLog(request: FastifyRequest, fields: Record<string, string>): void {
  Object.assign(request.logFields, fields);
}
