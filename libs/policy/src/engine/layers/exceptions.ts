/** What a preset lets through before its rules are read: the tools and the file of mode `plan`, and command lines that are known to be safe. */
import { canonicalPath } from '../../paths/normalise.js';
import { hasControl, hasInvisible } from '../../shell/characters.js';
import { coverAll } from '../cover.js';
import { addMatch, type Judgement } from '../judgement.js';

/** Covers the whole call when an exception holds. */
export function coverExceptions(judgement: Judgement): void {
  const { command } = judgement.analysis;
  if (isPlanTool(judgement)) cover(judgement, 'plan.tool', 'planning needs this tool');
  else if (isPlanFile(judgement)) cover(judgement, 'plan.file', 'the file that the plan is written to');
  else if (command !== null && isSafeCommand(command, judgement.policy.settings.safeCommands)) {
    cover(judgement, 'command.safe', 'a command line that is known to be safe');
  }
}

function cover(judgement: Judgement, ruleId: string, reason: string): void {
  addMatch(judgement, { layer: 'allow', effect: 'allow', ruleId, reason });
  coverAll(judgement.cover);
}

/** True for a tool that the host named as needed for planning, in mode `plan`. */
export function isPlanTool(judgement: Judgement): boolean {
  return judgement.mode === 'plan' && judgement.policy.settings.planTools.includes(judgement.call.tool);
}

/** The call writes the plan file and nothing else, and the file is no link to another one. */
function isPlanFile(judgement: Judgement): boolean {
  const { planFile } = judgement.policy.settings;
  const [file, ...others] = judgement.paths;
  if (judgement.mode !== 'plan' || planFile === null || file === undefined || others.length > 0) return false;
  const plan = canonicalPath(planFile);
  const { use, lexical, real } = file;
  return (
    plan !== null &&
    use.origin === 'argument' &&
    use.access === 'write' &&
    use.key !== null &&
    [lexical, real].every((path) => path === plan)
  );
}

/** Whatever joins, redirects or fills in commands: a line that holds any of these is more than its first words say. */
const JOINING = /[|&;<>$`(){}\\\r\n]/;

/** True when the line is an entry, or an entry with arguments behind a blank, and holds nothing that joins commands. */
export function isSafeCommand(line: string, entries: readonly string[]): boolean {
  if (JOINING.test(line) || hasControl(line) || hasInvisible(line)) return false;
  return entries.some((entry) => line === entry || line.startsWith(`${entry} `));
}
