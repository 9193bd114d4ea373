/** Reading secrets and sending them out in one command. Reading alone asks; using a key to log in is no theft. */
import { canonicalPath, joinGiven } from '../../paths/normalise.js';
import { meansSecret, sensitivityOf } from '../../paths/sensitive.js';
import type { ShellCall } from '../../shell/plan.js';
import type { ShellWord } from '../../shell/tree.js';
import { hasGlob, pathsOfWord, plainPath } from '../../shell/word-paths.js';
import type { DangerScene } from './families.js';
import { feedersOf } from './feeders.js';

const SENDERS = new Set(
  'curl wget nc ncat netcat socat ftp tftp sftp scp rsync ssh telnet http https xh dig nslookup host ping mail mailx sendmail mutt rclone gsutil s3cmd aws az gcloud gh lftp httpie whois'.split(
    ' ',
  ),
);
/** Flags whose value is a key to log in with, or a header that says who asks. */
const IDENTITY =
  /^(?:-i|-F|-E|-K|-k|-c|-b|-H|-u|--cert|--key|--cacert|--capath|--netrc-file|--config|--header|--user|--oauth2-bearer|--certificate|--private-key|--ca-certificate|--identity-file|--kubeconfig|-o)$/;
const SHOWS_ENVIRONMENT = /^(?:env|printenv|export|set|declare)$/;

/** True when a program that talks to the network is given a secret: by file, by pipe, or in its words. */
export function isCredentialTheft(call: ShellCall, scene: DangerScene): boolean {
  const opened = call.redirects.some((one) => /^\/dev\/(?:tcp|udp)\//.test(one.target?.value ?? ''));
  if (opened && [call, ...feedersOf(call, scene.plan)].some((one) => readsSecret(one, scene))) return true;
  if (call.program === null || !SENDERS.has(call.program)) return false;
  if (!mayUpload(call)) return false;
  if (call.redirects.some((one) => one.access === 'read' && one.target !== null && isSecret(one.target, call, scene)))
    return true;
  if (sentWords(call).some((word) => namesSecret(word, call, scene) || showsSecret(word, scene))) return true;
  return feedersOf(call, scene.plan).some((feeder) => readsSecret(feeder, scene));
}

/** `aws s3 ls` and the like carry nothing out. */
function mayUpload(call: ShellCall): boolean {
  if (!/^(?:aws|az|gcloud|gsutil|gh|rclone|s3cmd)$/.test(call.program ?? '')) return true;
  return call.args.some((word) => /^(?:cp|sync|mv|copy|move|put|upload|create|put-object|gist)$/.test(word.value));
}

/** Words that go out: all but those that only say who asks. `-F` of curl is a form field, though. */
function sentWords(call: ShellCall): ShellWord[] {
  return call.args.filter((word, at) => {
    const flag = call.args[at - 1]?.value ?? '';
    if (call.program === 'curl' && flag === '-F') return true;
    return !IDENTITY.test(flag) && !/^-(?:i|o|H|u)./.test(word.value);
  });
}

/** `@file`, `f=@file`, `file:///x`, or the file itself. */
function namesSecret(word: ShellWord, call: ShellCall, scene: DangerScene): boolean {
  if (word.pieces.some((piece) => piece.kind === 'dynamic' || piece.kind === 'variable')) return false;
  const inner = word.value
    .slice(Math.max(word.value.lastIndexOf('@'), word.value.lastIndexOf('=')) + 1)
    .replace(/^file:\/\//, '');
  if (isSecret(word, call, scene)) return true;
  return inner !== word.value && inner !== '' && !/^[\w.-]+@?$/.test(word.value) && isSecretPath(inner, call, scene);
}

/** A substitution inside the word reads one. */
function showsSecret(word: ShellWord, scene: DangerScene): boolean {
  return word.pieces.some((piece) => {
    if (piece.kind !== 'dynamic' || piece.names?.from !== 'script') return false;
    const { nest } = piece.names;
    return scene.plan.calls.some((call) => call.nest === nest && readsSecret(call, scene));
  });
}

function readsSecret(call: ShellCall, scene: DangerScene): boolean {
  if (SHOWS_ENVIRONMENT.test(call.program ?? '') && call.inner.length === 0 && call.args.length === 0) return true;
  const files = (call.operands ?? []).map((operand) => operand.word);
  for (const { access, target } of call.redirects) if (access === 'read' && target !== null) files.push(target);
  return files.some((word) => isSecret(word, call, scene));
}

function isSecret(word: ShellWord, call: ShellCall, scene: DangerScene): boolean {
  return pathsOfWord(word, scene.home).some((path) => {
    if (path === null) return false;
    return hasGlob(path) ? meansSecret(path) : isSecretPath(plainPath(path), call, scene);
  });
}

function isSecretPath(path: string, call: ShellCall, scene: DangerScene): boolean {
  // A public key, and a bare name that is no file such as an address, give nothing away.
  if (/\.pub$|^$/.test(path)) return false;
  return (call.cwds ?? [null]).some((cwd) => {
    const joined = joinGiven(cwd, path);
    const canonical = joined === null ? null : canonicalPath(joined);
    return canonical !== null && sensitivityOf(canonical, 'read', scene.roots) === 'secret';
  });
}
