/** Registers the offline policy commands: they need no service and no settings, only the engine. */
import { MODES, PRESETS, type Preset } from '@countersign/contracts';
import { Option, type Command } from 'commander';
import { policyVariables } from '../env.js';
import type { AnalysisOptions } from './analyse.js';
import type { CasesOptions } from './cases.js';
import type { DiffOptions } from './diff.js';
import type { CallOptions } from './judge-call.js';

type Done = (exitCode: number) => void;

/** Adds `check`, `explain`, `cases`, `analyse` and `diff`. */
export function addPolicyCommands(program: Command, done: Done): void {
  addCheck(program, done);
  addExplain(program, done);
  addCases(program, done);
  addAnalyse(program, done);
  addDiff(program, done);
}

const preset = (): Option =>
  new Option('--preset <name>', 'judge by this preset instead of the one that is named').choices(PRESETS);
/** Commands that judge by one policy judge as a service started here would, unless they are told not to. */
const noEnv = (): Option =>
  new Option('--no-env', 'leave out policy settings of the environment (AGENT_PERMISSIONS_DENY and so on)');
const withVariables = <T extends object>(options: T & { readonly env?: boolean }) =>
  options.env === false ? options : { ...options, variables: policyVariables() };
const streams = () => ({ output: process.stdout, complaints: process.stderr });

/** Systems as Node names them. Elsewhere than on Linux, the letter case of a program's name is held to mean nothing. */
const PLATFORMS = ['linux', 'darwin', 'win32'];

function withCallOptions(command: Command): Command {
  return withPlace(command)
    .addOption(noEnv())
    .option('--policy <file>', 'policy in YAML, JSON or TOML; without it the preset alone judges')
    .requiredOption('--tool <name>', 'name of the tool, as `Bash` or `mcp__server__tool`')
    .requiredOption('--args <json>', "the call's arguments, a JSON object")
    .addOption(new Option('--mode <mode>', "mode of the session (the policy's own)").choices(MODES))
    .addOption(
      new Option('--platform <name>', "operating system of the agent's machine (this one's)").choices(PLATFORMS),
    )
    .option('--silent', 'nobody can be asked: a question becomes a deny', false)
    .option('--resolve', 'follow the links of this machine; without it every path exists and is no link', false);
}

function withPlace(command: Command): Command {
  return command
    .addOption(preset())
    .option('--cwd <folder>', "the agent's working folder")
    .option('--root <folder...>', 'folders that the agent works in (the working folder)')
    .option('--home <folder>', "home folder of the agent's user")
    .option('--json', 'print one line of JSON', false);
}

function addCheck(program: Command, done: Done): void {
  withCallOptions(program.command('check').description('say what a policy says of one call'))
    .addHelpText('after', CHECK_HELP)
    .action(async (options: CallOptions) => {
      const { check } = await import('./check.js');
      done(await check(withVariables(options), streams()));
    });
}

const CHECK_HELP = `
Example:
  countersign check --policy policy.yaml --tool Bash --args '{"command":"git push"}'

Exit codes: 0 allow, 1 deny, 2 ask, 3 wrong usage or a policy that cannot be read.`;

function addExplain(program: Command, done: Done): void {
  withCallOptions(program.command('explain').description('say step by step why a policy says what it says of one call'))
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (options: CallOptions) => {
      const { explainCall } = await import('./explain.js');
      done(await explainCall(withVariables(options), streams()));
    });
}

const EXPLAIN_HELP = `
Example:
  countersign explain --policy policy.yaml --tool Edit --args '{"file_path":"/etc/hosts"}'

Exit codes: 0 explained, whatever the effect, 3 wrong usage or a policy that cannot be read.`;

function addCases(program: Command, done: Done): void {
  program
    .command('cases')
    .description('run verdict cases, one JSON object a line, and end with `N passed, M failed`')
    .argument('<file...>', 'case files')
    .addOption(new Option('--preset <name>', "takes the place of every case's own preset").choices(PRESETS))
    .option('--json', 'print each case as one line of JSON; the last line stays plain', false)
    .option('--only-failures', 'leave out the cases that passed or were skipped', false)
    .addHelpText('after', CASES_HELP)
    .action(async (files: string[], options: CasesOptions) => {
      const { runCaseFiles } = await import('./cases.js');
      done(await runCaseFiles(files, options, streams()));
    });
}

const CASES_HELP = `
A case:
  {"id":"push","preset":"standard","policy":{"ask":["Bash(git push *)"]},"cwd":"/work","tool":"Bash",
   "args":{"command":"git push"},"expected":{"effect":"ask"},"why":"pushing is asked"}

Example:
  countersign cases --only-failures cases/*.jsonl

A case of several \`steps\`, or with a \`context\` that sets up more than evidence (\`hook\`, \`agent\`, \`mcp\`, \`modeHistory\` …),
needs a running service: it is told as skipped, with why, and counts as neither. What cannot be read counts as failed, and so do
\`steps\` other than a list of one or more objects.

Exit codes: 0 all that were run passed, 1 some failed or none was run, 3 wrong usage or a file that cannot be read.`;

function addAnalyse(program: Command, done: Done): void {
  withPlace(program.command('analyse').argument('<file>', 'policy in YAML, JSON or TOML'))
    .addOption(noEnv())
    .description('find rules that are shadowed, dead, redundant, over-broad or that never match')
    .addHelpText('after', ANALYSE_HELP)
    .action(async (file: string, options: AnalysisOptions & { preset?: Preset }) => {
      const { analyse } = await import('./analyse.js');
      done(await analyse(file, withVariables(options), streams()));
    });
}

const ANALYSE_HELP = `
Example:
  countersign analyse policy.yaml --root /work/app

Exit codes: 0 no finding, 1 findings, 3 wrong usage or a policy that cannot be read.`;

function addDiff(program: Command, done: Done): void {
  withPlace(program.command('diff').argument('<before>', 'policy file').argument('<after>', 'policy file'))
    .description('say which calls a changed policy judges otherwise')
    .option('--strict', 'object to every change, not only to one that widens', false)
    .addHelpText('after', DIFF_HELP)
    .action(async (before: string, after: string, options: DiffOptions) => {
      const { diff } = await import('./diff.js');
      done(await diff([before, after], options, streams()));
    });
}

const DIFF_HELP = `
Example:
  countersign diff policy.before.yaml policy.yaml

Exit codes: 0 the same or only tighter, 1 something widens (with --strict: anything changed), 3 wrong usage or a policy
that cannot be read.`;
