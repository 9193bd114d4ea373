/** Checks that no command line that runs unasked is a dangerous one, since the safe stage stands before the dangerous stage. */
import { DANGERS } from '../commands/dangerous/families.js';
import { decompose } from '../shell/decompose.js';
import type { PolicyProblem } from './parse-document.js';
import type { PresetData } from './preset.js';

/** A problem for every entry that belongs to a family of dangerous commands, or that is no single plain command. */
export function safeCommandProblems(entries: readonly string[], preset: PresetData): PolicyProblem[] {
  return entries.flatMap((entry, place) => {
    const why = objectionTo(entry, preset);
    if (why === null) return [];
    return [{ path: `options.safeCommands.${String(place)}`, message: `\`${entry}\` cannot be safe: it ${why}` }];
  });
}

function objectionTo(entry: string, preset: PresetData): string | null {
  const plan = decompose(entry, { maxLength: 10_000, cwd: null, home: null });
  const [call, ...others] = plan.calls;
  if (call === undefined || others.length > 0 || plan.doubts.length > 0 || plan.shapes.size > 0) {
    return 'is no single plain command';
  }
  if (call.program === null || call.doubt !== null || call.wrapper !== null) return 'may run any other command';
  // With a folder behind it, `rm -r` deletes that folder: what an entry begins may end as a danger.
  const scenes = [plan, decompose(`${entry} /`, { maxLength: 10_000, cwd: '/', home: null })];
  const dangers = DANGERS.filter((one) => (preset.dangers[one.family] ?? null) !== null);
  const danger = dangers.find(({ test }) =>
    scenes.some((scene) => scene.calls.some((one) => test(one, { plan: scene, home: null, roots: [] }))),
  );
  return danger?.reason ?? null;
}
