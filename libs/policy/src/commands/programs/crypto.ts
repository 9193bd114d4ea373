/** openssl, as far as it computes sums and shows certificates. */
import type { ShellWord } from '../../shell/tree.js';
import { sortArgs } from '../flags.js';
import { words, type Operand, type ProgramFamily } from './program.js';

const VALUES = words(
  '-in -out -inform -outform -CAfile -CApath -key -sign -verify -signature -hmac -passin -pass -config -engine -rand -writerand',
);
/** Subcommands that only compute or show, and the flags they may have. */
const SUMS = /^(?:dgst|md5|sha1|sha224|sha256|sha384|sha512)$/;
const SHOWS = /^(?:x509|req|crl|asn1parse|verify|version|ciphers|list)$/;
const NEVER =
  /^-(?:out|key|sign|prverify|keyform|config|engine|rand|writerand|new|newkey|keyout|x509toreq|req|CA|CAkey|CAcreateserial|signkey|passin|pass|provider)/;

function showsOnly(args: readonly ShellWord[]): boolean {
  const [command, ...rest] = args.map((word) => word.value);
  if (command === undefined || rest.some((word) => NEVER.test(word))) return false;
  return SUMS.test(command) || SHOWS.test(command);
}

function inputs(args: readonly ShellWord[]): Operand[] {
  const { operands, values } = sortArgs(args.slice(1), VALUES);
  const given = values.get('-in');
  const out: Operand[] = operands.map((word) => ({ word, access: 'read', recursive: false }));
  if (given !== undefined) out.push({ word: given, access: 'read', recursive: false });
  const written = values.get('-out');
  if (written !== undefined) out.push({ word: written, access: 'write', recursive: false });
  return out;
}

export const CRYPTO_PROGRAMS: ProgramFamily = { openssl: { reads: showsOnly, operands: inputs } };
