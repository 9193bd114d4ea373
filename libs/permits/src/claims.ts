/** What a permit says, and the one reader of it: foreign JSON becomes claims, or nothing. */

/** How whoever runs the tool must run it. Milliseconds, and characters (code points) of output; null: no limit of ours. */
export interface Obligations {
  readonly timeoutMs: number | null;
  readonly maxOutputChars: number | null;
  /** What happens to the running tool when its session is cancelled: it is stopped, or it may finish. */
  readonly interrupt: 'cancel' | 'block';
  /** Whether the tool must run inside a sandbox. */
  readonly sandbox: 'none' | 'required';
}

/** What is allowed, to whom, until when. Hashes are lower-case hex SHA-256; times are whole seconds since 1970. */
export interface PermitClaims {
  readonly tenant: string;
  readonly session: string;
  readonly agent: string;
  readonly call: string;
  readonly attempt: number;
  readonly tool: string;
  /** Of the canonical FINAL arguments: those that run, whatever the agent sent. */
  readonly args: string;
  /** Working directory that the call was judged in; null: none was given. */
  readonly cwd: string | null;
  /** Of the path evidence that the call was judged by. */
  readonly evidence: string;
  readonly obligations: Obligations;
  /** Unique: a permit is redeemed once. */
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

const HASH = /^[0-9a-f]{64}$/;
const MAX_TEXT = 4_096;

type Check = (value: unknown) => boolean;
const text: Check = (value) => typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
const hash: Check = (value) => typeof value === 'string' && HASH.test(value);
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string);

const OBLIGATIONS: Readonly<Record<keyof Obligations, Check>> = {
  timeoutMs: orNull(count),
  maxOutputChars: orNull(count),
  interrupt: oneOf('cancel', 'block'),
  sandbox: oneOf('none', 'required'),
};

const CLAIMS: Readonly<Record<keyof PermitClaims, Check>> = {
  tenant: text,
  session: text,
  agent: text,
  call: text,
  attempt: count,
  tool: text,
  args: hash,
  cwd: orNull(text),
  evidence: hash,
  obligations: (value) => isTable(value) && fits(value, OBLIGATIONS),
  jti: text,
  iat: count,
  exp: count,
};

/** The claims in a parsed payload; null when a member is missing, unknown or of another kind. */
export function readClaims(payload: unknown): PermitClaims | null {
  return isTable(payload) && fits(payload, CLAIMS) ? (payload as unknown as PermitClaims) : null;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** INVARIANT: a member that this version does not know is refused, since it might forbid something. */
function fits(value: Record<string, unknown>, checks: Readonly<Record<string, Check>>): boolean {
  const names = Object.keys(checks);
  if (Object.keys(value).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(value, name) && checks[name]?.(value[name]) === true);
}
