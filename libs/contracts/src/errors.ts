/** The one error table: code -> HTTP status and default message. No other file pairs a code with a status. */
import { z } from 'zod';

export const ERRORS = {
  'request.malformed': { status: 400, message: 'the request body is not valid JSON' },
  'request.invalid': { status: 400, message: 'the request does not have the expected shape' },
  'request.too_large': { status: 413, message: 'the request body is larger than 32 MB' },
  'request.headers_too_large': { status: 431, message: 'the headers of the request are larger than 16 KB' },
  'request.timeout': { status: 408, message: 'the request did not arrive whole in time' },
  'request.invalid_arguments': { status: 422, message: 'the tool call has arguments that cannot be judged' },
  'auth.missing': { status: 401, message: 'send a key as `Authorization: Bearer …`' },
  'auth.unknown_key': { status: 401, message: 'this key is not known or was revoked' },
  'auth.wrong_role': { status: 403, message: 'the role of this key does not open this door' },
  'auth.csrf': { status: 403, message: 'the CSRF token is missing or does not fit the session' },
  'auth.host': { status: 403, message: 'the Host or Origin header names another site' },
  'auth.not_own_session': { status: 403, message: 'an agent key acts only on sessions that it opened' },
  'auth.loosens': { status: 403, message: 'an agent key may only tighten its sessions' },
  'session.unknown': { status: 404, message: 'no such session' },
  'session.exists': { status: 409, message: 'a session with this id exists and differs' },
  'session.too_deep': { status: 409, message: 'too many sessions stand above this one' },
  'call.unknown': { status: 404, message: 'no such tool call' },
  'call_id.invalid': {
    status: 400,
    message: 'a tool-use id holds no slashes, no control characters, and does not begin with a dot',
  },
  'call.id_reused': { status: 409, message: 'this tool-use id was used for another call' },
  'output.unknown': { status: 404, message: 'no output of this call is kept' },
  'original.unknown': { status: 404, message: 'nothing of this call was redacted, or its original is kept no more' },
  'original.unreadable': { status: 409, message: 'the original is sealed with a key that this server does not have' },
  'auth.no_right': { status: 403, message: 'this key has the role but not the right' },
  'call.result_differs': { status: 409, message: 'a different result was already reported' },
  'ask.unknown': { status: 404, message: 'no such ask' },
  'ask.already_resolved': { status: 409, message: 'the ask was already answered' },
  'ask.expired': { status: 410, message: 'the ask expired before this answer' },
  'session.over': { status: 409, message: 'the time of this session is up; its questions can only be rejected' },
  'ask.not_approver': { status: 403, message: 'this person or program may not answer this ask' },
  'ask.reject_only': { status: 403, message: 'on this channel this ask may be rejected but not approved' },
  'ask.edit_denied': { status: 422, message: 'the policy denies the edited arguments; the ask stays open' },
  'ask.denied_now': {
    status: 422,
    message: 'the policy or the session denies this call by now; the ask stays open and can be rejected',
  },
  'grant.invalid': { status: 422, message: 'this pattern is no rule' },
  'ask.stale_version': { status: 409, message: 'the ask changed since it was shown' },
  'ask.frozen': { status: 423, message: 'a kill switch is engaged; only reject is possible' },
  'session.frozen': { status: 423, message: 'a kill switch is engaged' },
  'kill.unknown': { status: 404, message: 'no such engaged kill switch' },
  'permit.redeemed': { status: 409, message: 'this permit was already redeemed' },
  'permit.unavailable': { status: 501, message: 'permits are not available here: no signing key is configured' },
  'permit.refused': { status: 409, message: 'the call may not run, or not any more' },
  'policy.unknown': { status: 404, message: 'no such policy' },
  'mode.unknown': { status: 422, message: 'the policy of this session has no such mode' },
  'policy.invalid': { status: 422, message: 'the policy document is not valid' },
  'person.unknown': { status: 404, message: 'no such person' },
  'person.exists': { status: 409, message: 'a person with this name exists' },
  'identity.taken': { status: 409, message: 'this identity belongs to somebody already' },
  'identity.unknown': { status: 404, message: 'this person has no such identity' },
  'key.unknown': { status: 404, message: 'no such key' },
  'grant.unknown': { status: 404, message: 'no such grant' },
  'rule.unknown': { status: 404, message: 'the session has no such rule' },
  'idempotency.running': { status: 409, message: 'the first request with this Idempotency-Key is still running' },
  'idempotency.reused': { status: 422, message: 'this Idempotency-Key was used for another request' },
  'door.unknown': { status: 404, message: 'no such door' },
  'door.method': { status: 405, message: 'this door does not take that method' },
  overloaded: { status: 503, message: 'the service is overloaded; try again shortly' },
  unavailable: { status: 503, message: 'a service that this one needs does not answer; try again shortly' },
  'internal.error': { status: 500, message: 'an unexpected error; it was logged' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** An expected failure on its way to a door: a code of the table, what exactly is wrong, and details for the caller. */
export class DoorError extends Error {
  override readonly name = 'DoorError';
  constructor(
    readonly code: ErrorCode,
    message?: string,
    readonly details?: Record<string, unknown>,
  ) {
    super(message ?? ERRORS[code].message);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The body of every error answer. */
export const errorBodySchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Renders a DoorError as the body that doors send. */
export function errorBody(error: DoorError): ErrorBody {
  return { error: { code: error.code, message: error.message, ...(error.details ? { details: error.details } : {}) } };
}
