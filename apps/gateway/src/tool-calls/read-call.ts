/** Reads the body of `POST /v1/tool-calls`. Arguments that cannot be judged stay part of the call: they are a recorded deny. */
import {
  argumentsAt,
  DoorError,
  problemOutside,
  toolCallBodySchema,
  type CallArguments,
  type InspectedJson,
  type ToolCallBody,
} from '@countersign/contracts';
import { sha256hex } from '../calls/build-call.js';

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
  const parsed = toolCallBodySchema.safeParse(inspected.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new DoorError('request.invalid', undefined, { problems });
  }
  return { body: parsed.data, args: argumentsAt(inspected, ['args'], sha256hex) };
}
