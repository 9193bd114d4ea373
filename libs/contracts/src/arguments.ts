/** From the arguments that an agent sent to the form in which they travel, are hashed and stored. */
import { canonicalJson, utf8Length } from './canonical-json.js';
import { escapeForDisplay } from './display.js';
import { problemWithin, rawTextAt, valueAt, type InspectedJson, type JsonPath } from './strict-json.js';
import {
  ARGUMENT_HEAD_LENGTH,
  MAX_ARGUMENT_BYTES,
  MAX_ARGUMENT_DEPTH,
  type ArgumentProblem,
  type CallArguments,
} from './tool-call.js';

/** Hashes the UTF-8 bytes of a text to lower-case hex SHA-256; comes from outside, since pure rooms have no crypto. */
export type Sha256Hex = (text: string) => string;

/** Parsed arguments, the flaw that the scan of their text found (null: none), and the text itself, read only when needed. */
export interface ReceivedArguments {
  readonly value: unknown;
  readonly problem: ArgumentProblem | null;
  readonly rawText: () => string;
}

/** Checks received arguments against every limit. Never throws; what cannot be judged keeps size, hash and head of the raw text. */
export function toCallArguments(received: ReceivedArguments, sha256hex: Sha256Hex): CallArguments {
  const problem = received.problem ?? shapeProblem(received.value);
  if (problem) return invalid(problem, received.rawText(), sha256hex);
  const json = canonicalJson(received.value);
  if (json.length > MAX_ARGUMENT_BYTES || utf8Length(json) > MAX_ARGUMENT_BYTES) {
    return invalid('too_large', received.rawText(), sha256hex);
  }
  return { state: 'ok', json, hash: sha256hex(json) };
}

/** The arguments at `path` of an inspected body; absent ones are `not_an_object`. */
export function argumentsAt(inspected: InspectedJson, path: JsonPath, sha256hex: Sha256Hex): CallArguments {
  return toCallArguments(
    {
      value: valueAt(inspected.value, path),
      problem: problemWithin(inspected, path)?.problem ?? null,
      rawText: () => rawTextAt(inspected, path) ?? '',
    },
    sha256hex,
  );
}

function shapeProblem(value: unknown): ArgumentProblem | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not_an_object';
  return isDeeperThan(value, MAX_ARGUMENT_DEPTH) ? 'too_deep' : null;
}

/** True when containers nest deeper than `limit`; the value itself is the first level. Never recursive. */
function isDeeperThan(value: object, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => Object.values(item as object).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function invalid(problem: ArgumentProblem, rawText: string, sha256hex: Sha256Hex): CallArguments {
  const head = escapeForDisplay(rawText.slice(0, ARGUMENT_HEAD_LENGTH));
  return { state: 'invalid', problem, bytes: utf8Length(rawText), hash: sha256hex(rawText), head };
}
