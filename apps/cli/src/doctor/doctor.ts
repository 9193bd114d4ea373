/** `countersign doctor`: checks what the other commands need and says what to do about what is missing. */
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { prepareBinaries } from '@countersign/ledger';
import { inspectServices } from '../compose/check-services.js';
import type { CliEnv } from '../env.js';
import { readEndpoints, type Endpoints } from '../home/endpoints.js';
import { homeLayout } from '../home/layout.js';

interface Finding {
  readonly what: string;
  /** Null: all is well. */
  readonly problem: string | null;
  /** The problem is told of and no reason to refuse; absent: it is one. */
  readonly bearable?: boolean;
}

const ANSWER_MS = 3_000;
const READABLE_BY_OTHERS = 0o077;

/** Prints one line for each check and gives the exit code: 0 all is well, 1 something is not. */
export async function doctor(env: CliEnv, output: Writable): Promise<number> {
  const layout = homeLayout(env.home);
  const endpoints = await readEndpoints(layout.endpoints);
  const findings: Finding[] = [
    checkNode(),
    await checkHome(env.home),
    await checkKeys(layout.endpoints),
    ...(env.databaseUrl === null ? [await checkBinaries(layout.postgres)] : []),
    ...(await checkServices(env)),
    ...(endpoints === null ? [] : await checkDoors(endpoints)),
  ];
  for (const finding of findings) output.write(`${markOf(finding)} ${finding.what}${finding.problem ?? ''}\n`);
  return findings.every(({ problem, bearable }) => problem === null || bearable === true) ? 0 : 1;
}

function markOf({ problem, bearable }: Finding): string {
  if (problem === null) return 'ok  ';
  return bearable === true ? 'warn' : 'BAD ';
}

/** The same checks that services make when they start. */
async function checkServices({ databaseUrl, ownerUrl, redisUrl }: CliEnv): Promise<Finding[]> {
  const findings = await inspectServices({ databaseUrl, redisUrl });
  // The one URL may be the owner's: then `up` makes a role of its own, and the services that run apart refuse to start.
  const mayBeOwner = ownerUrl === null;
  return findings.map(({ what, grade, problem }) => ({
    what,
    problem: problem === null ? null : `: ${problem}`,
    bearable: grade === 'warn' || (mayBeOwner && /database role|migrations/.test(what)),
  }));
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > 20 || (major === 20 && minor >= 19);
  return { what: `Node ${process.versions.node}`, problem: good ? null : ': 20.19 or newer is needed' };
}

async function checkHome(home: string): Promise<Finding> {
  for (let folder = home; ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found === null && dirname(folder) !== folder) continue;
    const writable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    return { what: `home folder ${home}`, problem: writable ? null : `: ${folder} may not be written to` };
  }
}

async function checkKeys(path: string): Promise<Finding> {
  const found = await stat(path).catch(() => null);
  if (found === null) return { what: `keys: none yet, \`countersign up\` makes them in ${path}`, problem: null };
  const open = process.platform !== 'win32' && (found.mode & READABLE_BY_OTHERS) !== 0;
  return { what: `keys in ${path}`, problem: open ? ' can be read by other users: chmod 600 it' : null };
}

async function checkBinaries(folder: string): Promise<Finding> {
  try {
    const { postgres } = await prepareBinaries(`${folder}/bin`, false);
    return { what: `embedded database ${postgres}`, problem: null };
  } catch (error) {
    return { what: 'embedded database', problem: `: ${(error as Error).message}` };
  }
}

async function checkDoors(endpoints: Endpoints): Promise<Finding[]> {
  const doors = [
    ['gateway', endpoints.gateway],
    ['approver', endpoints.console],
  ] as const;
  return Promise.all(
    doors.map(async ([name, url]) => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
      const problem =
        answer === null ? ' does not answer: is `countersign up` running?' : ` is not ready (HTTP ${answer.status})`;
      return { what: `${name} ${url}`, problem: answer?.ok === true ? null : problem };
    }),
  );
}
