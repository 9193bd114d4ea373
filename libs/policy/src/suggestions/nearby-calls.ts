/** Calls like the one that was asked about, to show how far a pattern reaches. */
import { freshWords } from '../analysis/fresh-words.js';
import { putAt } from '../analysis/sample-arguments.js';
import type { SampleCall } from '../analysis/scene.js';
import type { Analysis, EngineCall } from '../engine/analysis.js';
import { canonicalPath } from '../paths/normalise.js';
import { valuesAt } from '../tools/argument-places.js';

/** Calls that differ in one thing each: an argument, a flag, a file, a host, a tool, or something added. The call itself comes first. */
export function nearbyCalls(call: EngineCall, analysis: Analysis): SampleCall[] {
  const args = analysis.args ?? {};
  const fresh = freshWords([JSON.stringify([call.tool, args])])(1);
  const changes = [...lineChanges(analysis, fresh), ...fileChanges(analysis, fresh), ...nameChanges(analysis, fresh)];
  return [
    { tool: call.tool, args },
    ...changes.map(([place, text]) => ({ tool: call.tool, args: putAt(args, place, text) })),
    ...otherTools(call.tool, args, fresh),
  ];
}

/** A place in the arguments, and the text to put there. */
type Change = readonly [place: string, text: string];

function lineChanges(analysis: Analysis, fresh: string): Change[] {
  const { entry, plan } = analysis;
  if (plan === null || entry.command === undefined) return [];
  const { name } = entry.command;
  return nearbyLines(analysis, fresh).map((line) => [name, line]);
}

function fileChanges({ entry, args }: Analysis, fresh: string): Change[] {
  const places = (entry.paths ?? []).flatMap(({ name, otherNames = [] }) => [name, ...otherNames]);
  return places.flatMap((place) => {
    const path = valuesAt(args ?? {}, place).values[0];
    return typeof path === 'string' ? nearbyPaths(path, fresh).map((near): Change => [place, near]) : [];
  });
}

function nameChanges({ entry, host, named }: Analysis, fresh: string): Change[] {
  const { url } = entry;
  if (url !== undefined && host !== null) return nearbyAddresses(host, fresh).map((address) => [url, address]);
  const [place] = entry.named ?? [];
  const [name] = named;
  return place === undefined || name === undefined ? [] : [fresh, `${name}-${fresh}`].map((text) => [place, text]);
}

/** The command with something dangerous behind it. Empty for tools without a command line. */
export function chainedCalls(call: EngineCall, { command, entry, args }: Analysis): SampleCall[] {
  const { command: place } = entry;
  if (command === null || place === undefined) return [];
  const fresh = freshWords([command])(1);
  return chainedLines(command.trim(), fresh).map((line) => ({
    tool: call.tool,
    args: putAt(args ?? {}, place.name, line),
  }));
}

function chainedLines(line: string, fresh: string): string[] {
  return [`${line} && rm -rf ${fresh}`, `${line} | sh`, `${line} > /etc/${fresh}`];
}

function nearbyLines(analysis: Analysis, fresh: string): string[] {
  const line = analysis.command?.trim() ?? '';
  const first = analysis.plan?.calls[0];
  const words = first === undefined ? [] : [first.name, ...first.args].map((word) => word?.text ?? '');
  const [program = line, command] = words;
  const head = words.slice(0, -1).join(' ');
  return [
    ...(words.length > 2 ? [`${head} ${fresh}`] : []),
    `${line} ${fresh}`,
    `${line} --force`,
    ...(command === undefined || command.startsWith('-')
      ? []
      : [`${program} ${command}`, `${program} ${command} ${fresh}`]),
    `${program} ${fresh}`,
    `${fresh} ${words.slice(1).join(' ')}`.trim(),
    ...chainedLines(line, fresh),
  ];
}

function nearbyPaths(path: string, fresh: string): string[] {
  const canonical = canonicalPath(path) ?? path;
  const folder = canonical.slice(0, Math.max(0, canonical.lastIndexOf('/')));
  const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
  return [`${folder}/${fresh}`, `${folder}/${fresh}/${fresh}`, `${above}/${fresh}`, `${folder}/.env`, `/etc/${fresh}`];
}

function nearbyAddresses(host: string, fresh: string): string[] {
  return [
    `https://${host}/${fresh}`,
    `https://${fresh}.${host}/`,
    `https://${host}.${fresh}.example/`,
    `https://${fresh}.example/`,
  ];
}

function otherTools(tool: string, args: SampleCall['args'], fresh: string): SampleCall[] {
  const cut = tool.startsWith('mcp__') ? tool.indexOf('__', 5) : -1;
  if (cut < 0) return [];
  return [
    { tool, args: { ...args, [fresh]: fresh } },
    { tool: `${tool.slice(0, cut)}__${fresh}`, args },
    { tool: `mcp__${fresh}${tool.slice(cut)}`, args },
  ];
}
