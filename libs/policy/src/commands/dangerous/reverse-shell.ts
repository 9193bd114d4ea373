/** Shells that somebody else steers over the network. */
import type { ShellCall } from '../../shell/plan.js';
import { isShell } from '../../shell/wrappers.js';
import type { DangerScene } from './families.js';
import { feedersOf } from './feeders.js';

const SOCKET = /^\/dev\/(?:tcp|udp)\//;
const NETCAT = /^(?:nc|ncat|netcat|nc\.\w+)$/;
const INTERPRETER = /^(?:python[\d.]*|perl|ruby|node|nodejs|php|lua[\d.]*|gawk|awk|tclsh|bun|deno)$/;
const CONNECTS =
  /\b(?:socket|fsockopen|TCPSocket|Net::|net\.connect|net\.Socket|createConnection|\/inet\/(?:tcp|udp)|IO::Socket)/;
const STARTS =
  /\b(?:dup2|pty\.spawn|subprocess|\/bin\/(?:ba|z|da)?sh|child_process|exec|spawn|proc_open|popen|system)\b|\|&/;

/** True when a shell's input or output is tied to a network connection. */
export function isReverseShell(call: ShellCall, scene: DangerScene): boolean {
  const { program } = call;
  if (program === null || isTied(call)) return isTied(call);
  if (NETCAT.test(program)) return servesShell(call, scene);
  if (program === 'socat') return joinsShell(call);
  if (isShell(program) && fedByNetwork(call, scene)) return true;
  return INTERPRETER.test(program) && connectsShell(call);
}

/** A shell, `exec` alone, or a program that nobody knows, with a connection as its input or output. */
function isTied(call: ShellCall): boolean {
  const { program } = call;
  const starts = program === null || isShell(program) || (program === 'exec' && call.args.length === 0);
  return starts && call.redirects.some((redirect) => SOCKET.test(redirect.target?.value ?? ''));
}

function joinsShell(call: ShellCall): boolean {
  const has = (form: RegExp): boolean => call.args.some((word) => form.test(word.value));
  return has(/^(?:exec|system|shell):/i) && has(/^(?:tcp|udp|openssl|sctp|stdin|-)/i);
}

function connectsShell(call: ShellCall): boolean {
  const fed = call.input.kind === 'text' ? call.input.text : '';
  const code = call.args.map((word) => word.value).join(' ') + fed;
  return CONNECTS.test(code) && STARTS.test(code);
}

function servesShell(call: ShellCall, scene: DangerScene): boolean {
  if (call.args.some((word) => /^(?:-[a-zA-Z]*[ec]|--exec|--sh-exec|--lua-exec)$/.test(word.value))) return true;
  return feedersOf(call, scene.plan).some(
    (feeder) => feeder.program !== null && isShell(feeder.program) && feeder.wrapper === null,
  );
}

function fedByNetwork(call: ShellCall, scene: DangerScene): boolean {
  return feedersOf(call, scene.plan).some((feeder) => NETCAT.test(feeder.program ?? '') || feeder.program === 'telnet');
}
