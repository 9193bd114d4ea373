/** Reads the body of `POST /v1/tool-calls/batch`. As with single calls, arguments that cannot be judged stay part of their call. */
import {
  argumentsAt,
  batchBodySchema,
  DoorError,
  MAX_BATCH_BYTES,
  MAX_STEP_CALLS,
  problemOutside,
  type BatchBody,
  type CallArguments,
  type InspectedJson,
} from '@countersign/contracts';
import { sha256hex } from '../calls/build-call.js';
import { invalidBody } from './read-call.js';

export interface ReadBatch {
  readonly body: BatchBody;
  /** In the order of `body.calls`. */
  readonly args: readonly CallArguments[];
}

/** Throws `request.invalid` for everything outside of the arguments that is not as expected. */
export function readBatch(inspected: InspectedJson): ReadBatch {
  const places = Array.from({ length: MAX_STEP_CALLS }, (_none, place) => ['calls', place, 'args']);
  const flaw = problemOutside(inspected, places);
  if (flaw !== null) {
    throw new DoorError('request.invalid', `the request has a flaw at \`${flaw.path.join('.')}\`: ${flaw.problem}`);
  }
  const parsed = batchBodySchema.safeParse(inspected.value);
  if (!parsed.success) throw invalidBody(parsed.error.issues);
  const body = parsed.data;
  requireDistinct(body);
  const args = body.calls.map((_call, place) => argumentsAt(inspected, ['calls', place, 'args'], sha256hex));
  // They travel in one job, or they would not be judged together.
  const characters = args.reduce((sum, one) => sum + (one.state === 'ok' ? one.json.length : one.head.length), 0);
  if (characters > MAX_BATCH_BYTES / 2)
    throw new DoorError('request.too_large', 'the calls of one step are too large together');
  return { body, args };
}

function requireDistinct({ calls }: BatchBody): void {
  const keys = calls.map(({ toolUseId, attempt = 1 }) => JSON.stringify([toolUseId, attempt]));
  const twice = keys.findIndex((key, place) => keys.indexOf(key) !== place);
  if (twice >= 0)
    throw new DoorError('request.invalid', `the call ${twice + 1} has the id of another one of this step`);
}
