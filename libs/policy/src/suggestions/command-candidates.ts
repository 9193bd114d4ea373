/** Patterns for commands: the line as it stands, then the same command with other arguments. */
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import { wildDepth } from './wild-depth.js';
import type { Candidate } from './suggestion.js';

const MOST_CALLS = 12;
/** Words that mean in a pattern what they mean in a command. */
const PLAIN_WORD = /^[\w./:@=+,%-]+$/;

/** Candidates for a command line, the narrowest first. `wild` false: only as a whole (its shell is not followed word by word). */
export function commandCandidates(tool: string, plan: ShellPlan, wild: boolean): Candidate[] {
  // What only the running shell knows would be allowed whatever it turns out to be.
  if (plan.doubts.length > 0 || !plan.calls.every(isSettled)) return [];
  const line = plan.source.trim();
  const exact: Candidate[] = [line, ...plan.calls.slice(0, MOST_CALLS).map((call) => call.source)].map((text) => ({
    pattern: `${tool}(${text})`,
    step: 'exact',
    explanation: `exactly \`${text}\``,
  }));
  return wild ? [...exact, ...plan.calls.slice(0, MOST_CALLS).flatMap((call) => wildCandidates(tool, call))] : exact;
}

function isSettled(call: ShellCall): boolean {
  return call.doubt === null && call.name?.literal !== false && call.args.every((word) => word.literal);
}

function wildCandidates(tool: string, call: ShellCall): Candidate[] {
  if (call.name === null || call.wrapper !== null || call.assignments.length > 0) return [];
  const words = [call.name, ...call.args];
  const depth = wildDepth(words);
  if (depth === null) return [];
  const texts = words.map((word) => word.value);
  const plainUpTo = texts.findIndex((text) => !PLAIN_WORD.test(text));
  const longest = plainUpTo < 0 ? texts.length : plainUpTo;
  if (longest < depth) return [];
  const out: Candidate[] = [];
  const last = texts.length - 1;
  if (last > depth && last <= longest) {
    const head = texts.slice(0, last).join(' ');
    out.push({
      pattern: `${tool}(${head} *)`,
      step: 'last-argument',
      explanation: `\`${head}\` with any further arguments`,
    });
  }
  const head = texts.slice(0, depth).join(' ');
  out.push({ pattern: `${tool}(${head} *)`, step: 'command', explanation: `every \`${head}\`, with any arguments` });
  return out;
}
