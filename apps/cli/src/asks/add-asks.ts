/** Registers `countersign asks`: lists and answers questions in a terminal. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliEnv } from '../env.js';
import type { AnswerOptions } from './commands.js';

type WithEnv = (run: (env: CliEnv) => Promise<number>) => Promise<void>;

const streams = () => ({ output: process.stdout, complaints: process.stderr });

const HELP = `
Exit codes: 0 done, 1 the answer was not taken or there is no such ask, 2 wrong usage, the key was refused,
or no service could be asked.

Settings (environment):
  COUNTERSIGN_CONSOLE_URL   base URL of the people's door (from endpoints.json of the home folder)
  COUNTERSIGN_TOKEN         the key of an approver (likewise)
  COUNTERSIGN_HOME          the home folder (as root /var/lib/countersign, else ~/.countersign)`;

/** `withEnv` reads the settings and takes the exit code. */
export function addAsks(program: Command, withEnv: WithEnv): void {
  const asks = program
    .command('asks')
    .description('questions that agents wait for: list them, watch them, answer them')
    .addHelpText('after', HELP);
  asks
    .command('list', { isDefault: true })
    .description('open asks, the oldest first')
    .option('--json', 'one line of JSON for each', false)
    // As the default it is handed every word that names no command: refused here, where its name is known.
    .allowExcessArguments()
    .action((options: { json: boolean }, list: Command) => {
      refuseWords(asks, list);
      return withEnv(async (env) => (await import('./commands.js')).listAsks(env, options, streams()));
    });
  asks
    .command('watch')
    .description('asks as they open and close; in a terminal they are answered by keys')
    .option('--json', 'one line of JSON for each event', false)
    .action((options: { json: boolean }) =>
      withEnv(async (env) => {
        const { watchAsks } = await import('./watch.js');
        return watchAsks(env, options, { ...streams(), input: process.stdin });
      }),
    );
  asks
    .command('show')
    .description('one ask, whole')
    .argument('<id>')
    .option('--json', 'one line of JSON', false)
    .action((id: string, options: { json: boolean }) =>
      withEnv(async (env) => (await import('./commands.js')).showAsk(env, id, options, streams())),
    );
  addAnswer(asks, 'approve', withEnv);
  addAnswer(asks, 'reject', withEnv);
}

/** Throws a usage error for what stands behind `asks` or `asks list`. */
function refuseWords(asks: Command, list: Command): void {
  const [word] = list.args;
  if (word === undefined) return;
  if (asks.args.includes('list')) list.error(`error: \`list\` takes no argument, but got \`${word}\``);
  const names = asks.commands.map((command) => command.name()).join(', ');
  asks.error(`error: unknown command '${word}': one of ${names}`);
}

function addAnswer(asks: Command, answer: 'approve' | 'reject', withEnv: WithEnv): void {
  const command = asks
    .command(answer)
    .description(`show one ask and ${answer} it`)
    .argument('<id>')
    .option('--reason <text>', 'told to the agent')
    .option('--json', 'one line of JSON', false);
  if (answer === 'approve') {
    command
      .option('--pattern <rule>', 'what is allowed from now on, such as `Bash(npm test *)` (this exact call)')
      .option('--ttl <seconds>', 'when the permission of a session or always ends (never)', parseCount)
      .option('--uses <count>', 'how many calls an always permission lets through (any number)', parseCount)
      .option('--input <file>', 'arguments that run instead, as JSON');
  }
  const scope = new Option('--scope <scope>', 'how far it reaches')
    .choices(['once', 'session', 'always'])
    .default('once');
  if (answer === 'reject') scope.hideHelp();
  command
    .addOption(scope)
    .action((id: string, options: AnswerOptions) =>
      withEnv(async (env) => (await import('./commands.js')).answerAsk(env, { ...options, id, answer }, streams())),
    );
}

function parseCount(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('a whole number from 1.');
  return count;
}
