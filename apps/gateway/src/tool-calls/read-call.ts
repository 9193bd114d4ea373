/** Reads the body of `POST /v1/tool-calls`. Arguments that cannot be judged stay part of the call: they are a recorded deny. */
import {
  argumentsAt,
  DoorError,
  problemOutside,
  quickParser,
  toolCallBodySchema,
  type CallArguments,
  type InspectedJson,
  type ToolCallBody,
} from '@countersign/contracts';
import { sha256hex } from '../calls/build-call.js';

const parseBody = quickParser(toolCallBodySchema);

export interface ReadCall {
  readonly body: ToolCallBody;
  readonly args: CallArguments;
}

/** Throws `request.invalid` for everything outside of `args` that is not as expected. */
export function readCall(inspected: InspectedJson): ReadCall {
  const flaw = problemOutside(inspected, [['args']]);
  if (flaw !== null) {
    throw new DoorError('request.invalid', `the request has a flaw at \`${flaw.path.join('.')}\`: ${flaw.problem}`);
  }
  const parsed = parseBody(inspected.value);
  if (!parsed.success) throw invalidBody(parsed.error.issues);
  return { body: parsed.data, args: argumentsAt(inspected, ['args'], sha256hex) };
}

/** What is wrong with a body; an id that could lead a stored result elsewhere has a code of its own. */
export function invalidBody(issues: readonly { path: readonly PropertyKey[]; message: string }[]): DoorError {
  const problems = issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const badId = issues.length > 0 && issues.every(({ path }) => path.at(-1) === 'toolUseId');
  return new DoorError(badId ? 'call_id.invalid' : 'request.invalid', undefined, { problems });
}
