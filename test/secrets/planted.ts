/** Thirty and more secrets, one for each way in, made anew for every run so that a match is never an accident. */
import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const letters = (length: number): string =>
  [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('');
const upper = (length: number): string =>
  `${letters(length * 2)}Q7`
    .toUpperCase()
    .replace(/[^A-Z2-7]/g, '')
    .slice(0, length)
    .padEnd(length, 'Q');
const hex = (length: number): string => randomBytes(length).toString('hex').slice(0, length);
/** A password: letters and a digit, so that it is none of any known form. */
const word = (): string => `pw${letters(9)}7`;

/** Name of the way in -> the secret that is sent there. */
export const SECRETS = {
  mysql: word(),
  curlUser: word(),
  urlPassword: word(),
  envPassword: word(),
  awsId: `AKIA${upper(16)}`,
  awsSecret: `${letters(38)}/x`,
  githubToken: `ghp_${letters(36)}`,
  slackToken: `xoxb-${'1'.repeat(11)}-${'2'.repeat(12)}-${letters(24)}`,
  stripeKey: `sk_live_${letters(24)}`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI${letters(12)}.${letters(43)}`,
  pemLine: letters(64),
  dockerPassword: word(),
  sshpass: word(),
  bearer: letters(40),
  connectionString: word(),
  optionPassword: word(),
  jsonField: word(),
  listArgument: word(),
  nested: word(),
  objectKey: `ghp_${letters(36)}`,
  description: `glpat-${letters(20)}`,
  cwd: `ghp_${letters(36)}`,
  label: `npm_${letters(36)}`,
  hookArguments: word(),
  hookOutput: `sk-ant-api03-${letters(40)}`,
  hookError: `hvs.${letters(24)}`,
  resultOutput: `AIza${letters(35)}`,
  resultError: word(),
  longOutput: `dop_v1_${hex(64)}`,
  rejectReason: word(),
  approveReason: `SG.${letters(22)}.${letters(43)}`,
  cancelReason: `lin_api_${letters(40)}`,
  duplicateKeys: `ghp_${letters(36)}`,
  tooLarge: `ghp_${letters(36)}`,
  badBody: `ghp_${letters(36)}`,
  badShape: `ghp_${letters(36)}`,
  toolName: `ghp_${letters(36)}`,
  sessionId: `ghp_${letters(36)}`,
  path: `ghp_${letters(36)}`,
  wrongKey: `ghp_${letters(36)}`,
  idempotencyKey: `ghp_${letters(36)}`,
  ruleText: word(),
  logQuery: `ghp_${letters(36)}`,
  note: `ghp_${letters(36)}`,
  prompt: `ghp_${letters(36)}`,
  batch: word(),
  rewritten: word(),
  killReason: `ghp_${letters(36)}`,
  pattern: word(),
} as const;

export type SecretName = keyof typeof SECRETS;

/** A private key with the planted line in it. */
export const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  letters(64),
  SECRETS.pemLine,
  letters(30),
  '-----END RSA PRIVATE KEY-----',
].join('\n');

/** The planted secrets that a text holds, as they are, in base64 or percent-encoded. */
export function leaksIn(text: string): SecretName[] {
  return (Object.entries(SECRETS) as [SecretName, string][])
    .filter(([, secret]) =>
      [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')].some((form) => text.includes(form)),
    )
    .map(([name]) => name);
}
