/** What every bench's command line has in common: `--help`, and one clear line for what it does not know. */
import { parseArgs } from 'node:util';

/** Values by name. `options` as `parseArgs` takes them. Throws with the help text for what it does not know. */
export function readValues(args, help, options) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw refusal(error.message, help);
  }
}

/** A number above 0, or `fallback` when the option was not given. */
export function positive(text, fallback, help) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!(value > 0)) throw refusal(`not a number above 0: ${text}`, help);
  return value;
}

export function refusal(problem, help) {
  return new Error(`${problem}\n${help}`);
}

/** What `read` makes of the command line. Ends the process for `--help`, and with code 2 for what cannot be understood. */
export function commandLine(help, read) {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    process.exit(0);
  }
  try {
    return read(args);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}
