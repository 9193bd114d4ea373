/** The commands of `countersign`, their options and their help. Each command's code is loaded when it is called. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { addAsks } from './asks/add-asks.js';
import { surviveClosedOutput } from './compose/output.js';
import { readCliEnv, type CliEnv } from './env.js';
import { HOOK_AGENTS, type HookAgent } from './hook/agents.js';
import { HOOK_SETTINGS, UP_SETTINGS } from './settings-help.js';
import type { OnFailure } from './hook/on-failure.js';
import { addPolicyCommands } from './policy/commands.js';
import { POLICY_COMMANDS, UNUSABLE } from './policy/exit-codes.js';

const USAGE_ERROR = 2;
const BAD_SETTING = 1;
/** An agent goes on after exit code 1: a hook that cannot work must block. */
const BLOCKED = 2;
/** 1 would say that the log is broken. */
const NOT_CHECKED = 2;
const MAX_WAIT_SECONDS = 3_600;

/** Runs the command line and gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // A hook whose reader is gone must fail, not end well without an answer.
  if (argv[2] !== 'hook' || argv.some((word) => word === '--help' || word === '-h')) surviveClosedOutput();
  const result = { exitCode: 0 };
  const program = createProgram((exitCode) => (result.exitCode = exitCode));
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    return POLICY_COMMANDS.has(argv[2] ?? '') ? UNUSABLE : USAGE_ERROR;
  }
  return result.exitCode;
}

function createProgram(done: (exitCode: number) => void): Command {
  const program = new Command('countersign')
    .description('Stands between AI agents and what their tools do: allow, deny, or a question to people.')
    .exitOverride()
    .addHelpText('after', `\nExit codes: 0 done, 1 failed, 2 wrong usage; commands name their own.\n${UP_SETTINGS}`);
  addUp(program, done);
  addHook(program, done);
  addAudit(program, done);
  addDoctor(program, done);
  addVault(program, done);
  addAsks(program, (run) => withEnv({ done, badSetting: USAGE_ERROR }, run));
  addPolicyCommands(program, done);
  explainUsage(program, 'countersign');
  return program;
}

/** What is wrong is told as everywhere, and then what to type. `name`: of the command as it is typed. */
function explainUsage(command: Command, name: string): void {
  command
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'countersign: ')) })
    .showHelpAfterError(`countersign: \`${name} --help\` says how it is used`);
  for (const below of command.commands) explainUsage(below, `${name} ${below.name()}`);
}

function addUp(program: Command, done: (exitCode: number) => void): void {
  program
    .command('up')
    .description('run everything in this process, with a database of its own; Ctrl-C stops it')
    .addHelpText(
      'after',
      `\nExit codes: 0 stopped as asked, 1 could not start or did not stop cleanly.\n${UP_SETTINGS}`,
    )
    .action(() =>
      withEnv({ done }, async (env) => {
        const { up } = await import('./up/up.js');
        return up(env);
      }),
    );
}

function addHook(program: Command, done: (exitCode: number) => void): void {
  program
    .command('hook')
    .description("read an agent's hook JSON from standard input, have it judged, print the agent's reply")
    .argument('<agent>', `one of: ${HOOK_AGENTS.join(', ')}`, parseAgent)
    .addOption(
      new Option(
        '--on-failure <what>',
        'when the service gives no answer: block the tool, or ask through the prompt of the agent',
      )
        .choices(['block', 'ask'])
        .default('block'),
    )
    .option(
      '--timeout <seconds>',
      'longest wait for the answer; keep it below the time-out of the agent',
      parseSeconds,
      590,
    )
    .addHelpText('after', HOOK_HELP)
    .action((agent: HookAgent, options: { onFailure: OnFailure; timeout: number }) =>
      withEnv({ done, badSetting: BLOCKED }, async (env) => {
        const { runHook } = await import('./hook/hook.js');
        const streams = { input: process.stdin, output: process.stdout, complaints: process.stderr };
        return runHook(env, { agent, onFailure: options.onFailure, timeoutSeconds: options.timeout }, streams);
      }),
    );
}

const HOOK_HELP = `
The service is found by COUNTERSIGN_URL and COUNTERSIGN_TOKEN, else by endpoints.json of the home folder.
Exit codes: 0 the reply is on standard output; 2 no answer: the tool is blocked, the reason is on standard error.
${HOOK_SETTINGS}`;

function addAudit(program: Command, done: (exitCode: number) => void): void {
  const audit = program.command('audit').description('look after the log');
  audit
    .command('verify')
    .description('recompute every chain of the log, through the running service or, with DATABASE_URL, on the database')
    .option('--json', 'print the report as one line of JSON', false)
    .addHelpText('after', '\nExit codes: 0 unbroken, 1 broken (each place is named), 2 could not be checked.')
    .action((options: { json: boolean }) =>
      withEnv({ done, badSetting: NOT_CHECKED }, async (env) => {
        const { verifyLog } = await import('./audit/verify.js');
        return verifyLog(env, { json: options.json, output: process.stdout, complaints: process.stderr });
      }),
    );
}

function addDoctor(program: Command, done: (exitCode: number) => void): void {
  program
    .command('doctor')
    .description('check what `up` and the hooks need, one line for each')
    .addHelpText('after', '\nExit codes: 0 all is well, 1 something is not.')
    .action(() =>
      withEnv({ done }, async (env) => {
        const { doctor } = await import('./doctor/doctor.js');
        return doctor(env, process.stdout);
      }),
    );
}

function addVault(program: Command, done: (exitCode: number) => void): void {
  const vault = program.command('vault').description('look after the sealed originals of what is redacted');
  vault
    .command('rotate')
    .description('make a new key that seals from the next start on; older keys still open')
    .addHelpText('after', '\nExit codes: 0 rotated, 1 not.')
    .action(() =>
      withEnv({ done }, async (env) => {
        const { rotateVault } = await import('./vault/rotate.js');
        return rotateVault(env, { output: process.stdout, complaints: process.stderr });
      }),
    );
}

interface Run {
  readonly done: (exitCode: number) => void;
  /** Exit code when a setting is wrong; 1 unless given. */
  readonly badSetting?: number;
}

/** Runs a command with the settings; each wrong setting is one line. */
async function withEnv({ done, badSetting = BAD_SETTING }: Run, run: (env: CliEnv) => Promise<number>): Promise<void> {
  const settings = readCliEnv();
  if (settings.ok) return done(await run(settings.env));
  for (const problem of settings.problems) process.stderr.write(`countersign: ${problem}\n`);
  done(badSetting);
}

function parseAgent(value: string): HookAgent {
  const agent = HOOK_AGENTS.find((name) => name === value);
  if (agent === undefined) throw new InvalidArgumentError(`known agents: ${HOOK_AGENTS.join(', ')}.`);
  return agent;
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > MAX_WAIT_SECONDS) {
    throw new InvalidArgumentError(`seconds between 0 and ${MAX_WAIT_SECONDS}.`);
  }
  return seconds;
}
