/** The calls that are judged: factories, so that no judge meets the same call object or the same text twice. */
import { ROOT } from './rule-sets.mjs';

/** Most different rules that the calls of one probe go through. */
const MOST_VARIANTS = 16;

/** Sizes of shell calls: how many simple commands, and how many further words each has. */
const SHELL_SIZES = [
  { name: '1 short', commands: 1, words: 0 },
  { name: '1 long', commands: 1, words: 24 },
  { name: '4', commands: 4, words: 3 },
  { name: '16', commands: 16, words: 3 },
  { name: '64', commands: 64, words: 3 },
];
const JOINTS = [' && ', '; ', ' | '];

/**
 * Probes of a rule set: `{name, shell, variants: [{expected, make}]}`. `make(n)` gives `{tool, args, subject}`; `subject` is what a
 * judge without a reader of arguments compares: the path, the host, or the list of simple commands.
 */
export function makeProbes(rules) {
  return [...callProbes(rules), ...shellProbes(rules)];
}

function callProbes(rules) {
  const plain = rules.filter((rule) => rule.kind !== 'command');
  const probes = ['allow', 'ask', 'deny'].map((effect) => ({
    name: effect,
    shell: false,
    variants: spread(plain.filter((rule) => rule.effect === effect)).map((rule) => ({
      expected: effect,
      make: (n) => callOf(rule, n),
    })),
  }));
  return [...probes, { name: 'no match', shell: false, variants: STRANGERS.map(strangerVariant) }];
}

/** Things that no rule names; whoever finds no rule asks. */
const STRANGERS = [
  { kind: 'path', tool: 'Edit', folder: `${ROOT}/elsewhere/` },
  { kind: 'mcp', tool: 'mcp__tracker__unknown' },
  { kind: 'mcp', tool: 'mcp__stranger__op' },
  { kind: 'domain', tool: 'WebFetch', host: 'unknown.example' },
];

function strangerVariant(rule) {
  return { expected: 'ask', make: (n) => callOf(rule, n) };
}

function callOf(rule, n) {
  switch (rule.kind) {
    case 'path':
      return pathCall(rule.tool, `${rule.folder}part/file-${n}.ts`);
    case 'mcp':
      return { tool: rule.tool, args: { title: `number ${n}`, count: n }, subject: '' };
    default:
      return {
        tool: rule.tool,
        args: { url: `https://${rule.host}/page/${n}`, prompt: 'summarise' },
        subject: rule.host,
      };
  }
}

function pathCall(tool, path) {
  const args = tool === 'Edit' ? { file_path: path, old_string: 'a', new_string: 'b' } : { file_path: path };
  return { tool, args, subject: path };
}

function shellProbes(rules) {
  const commands = rules.filter((rule) => rule.kind === 'command');
  const allowed = spread(commands.filter((rule) => rule.effect === 'allow'));
  const stricter = ['ask', 'deny'].flatMap((effect) =>
    spread(commands.filter((rule) => rule.effect === effect)).slice(0, 1),
  );
  return SHELL_SIZES.map((size) => ({
    name: `shell ${size.name}`,
    shell: true,
    // Three lines that run unasked for each that holds one asked, denied or unknown command.
    variants: [...allowed.slice(0, 9), ...stricter, null].map((odd, at) => ({
      expected: odd === null ? 'ask' : odd.effect,
      make: (n) => shellCall(size, { allowed, odd: odd ?? { program: 'stranger', verb: 'run' }, at }, n),
    })),
  }));
}

function shellCall(size, { allowed, odd, at }, n) {
  const last = size.commands - 1;
  const parts = Array.from({ length: size.commands }, (_, place) => {
    const rule = place === last ? odd : allowed[(at + place) % allowed.length];
    const words = Array.from({ length: size.words }, (_unused, word) => ` --name${word}=value${n + place}`);
    return `${rule.program} ${rule.verb} item${n}${words.join('')}`;
  });
  const command = parts.map((part, place) => part + (place === last ? '' : JOINTS[(n + place) % 3])).join('');
  return { tool: 'Bash', args: { command }, subject: command };
}

function spread(list) {
  const step = Math.max(1, Math.floor(list.length / MOST_VARIANTS));
  return list.filter((_, at) => at % step === 0).slice(0, MOST_VARIANTS);
}
