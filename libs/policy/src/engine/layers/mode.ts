/** Layer 6: what the mode says of each part of the call, by its kind. */
import type { Effect, ToolKind } from '@countersign/contracts';
import type { ShellPlan } from '../../shell/plan.js';
import { isPart } from '../cover.js';
import { addMatch, type Judgement } from '../judgement.js';

export function modeLayer(judgement: Judgement): void {
  const { cells } = judgement.modeEntry;
  const { analysis, cover } = judgement;
  if (judgement.policy.preset.coverage === 'call') {
    const subject = analysis.command ?? judgement.paths[0]?.use.text ?? null;
    speak(judgement, cells[analysis.entry.kind], subject, analysis.entry.kind);
    return;
  }
  judgement.paths.forEach((path, place) => {
    const { use } = path;
    const effect = cells[use.access];
    if (use.origin === 'guess' || (use.origin === 'operand' && effect === 'allow')) return;
    if (speak(judgement, effect, use.text, use.access)) cover.paths[place] = true;
  });
  if (analysis.plan !== null) speakOfCommands(judgement, analysis.plan);
  if (
    analysis.plan === null &&
    !judgement.paths.some(isPart) &&
    speak(judgement, cells[analysis.entry.kind], null, analysis.entry.kind)
  ) {
    cover.tool = true;
  }
}

function speakOfCommands(judgement: Judgement, plan: ShellPlan): void {
  const { cells } = judgement.modeEntry;
  const { readOnly, plainEdit } = judgement.policy.preset.commands;
  const edits = cells.command === null && cells.write === 'allow' && !judgement.unclear;
  plan.calls.forEach((call, number) => {
    if ((call.program === '' && readOnly !== null) || judgement.readOnly[number] === true) return;
    if (speak(judgement, cells.command, call.source, 'command')) judgement.cover.calls[number] = 'deep';
    else if (edits && plainEdit(call, plan)) {
      speak(judgement, 'allow', call.source, 'write');
      judgement.cover.calls[number] = 'self';
    }
  });
}

/** Adds the cell's match; true when it allows. */
function speak(judgement: Judgement, effect: Effect | null, subject: string | null, kind: ToolKind): boolean {
  if (effect === null) return false;
  const ruleId = judgement.modeEntry.ruleIds?.[kind] ?? `mode.${judgement.mode}`;
  addMatch(judgement, { layer: 'mode', effect, ruleId, reason: REASONS[effect](judgement.mode, kind), subject });
  return effect === 'allow';
}

const REASONS: Readonly<Record<Effect, (mode: string, kind: ToolKind) => string>> = {
  allow: (mode, kind) => `mode \`${mode}\` lets ${kind} calls run`,
  ask: (mode, kind) => `mode \`${mode}\` asks about ${kind} calls`,
  deny: (mode, kind) => `mode \`${mode}\` refuses ${kind} calls`,
};
