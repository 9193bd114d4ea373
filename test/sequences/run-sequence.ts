/** Runs one row: its steps in order, each compared with what the row expects. */
import { differences, type Observed } from './compare.js';
import { Sequence } from './sequence.js';
import { sequenceRowSchema, type Step } from './sequence-row.js';
import type { Stack } from './stack.js';
import { advance } from './step-advance.js';
import { answerAsk } from './step-answer.js';
import { sendBatch } from './step-batch.js';
import { sendCall } from './step-call.js';
import { look } from './step-check.js';
import { runCommand } from './step-command.js';
import { reportCall } from './step-report.js';

/** Everything that differs, a sentence each, with the step's number from 1; empty when the row passes. */
export async function runSequence(stack: Stack, input: unknown): Promise<string[]> {
  const row = sequenceRowSchema.parse(input);
  const sequence = await Sequence.open(stack, row);
  const out: string[] = [];
  try {
    for (const [place, step] of row.steps.entries()) {
      const observed = await perform(sequence, step);
      const found = await differences(step.expected, observed, sequence.sessionId);
      out.push(...found.map((text) => `step ${place + 1} (${describe(step)}): ${text}`));
    }
  } finally {
    sequence.close();
  }
  return out;
}

function perform(sequence: Sequence, step: Step): Promise<Observed> {
  if ('call' in step) return sendCall(sequence, step.call);
  if ('batch' in step) return sendBatch(sequence, step.batch);
  if ('answer' in step) return answerAsk(sequence, step.answer);
  if ('report' in step) return reportCall(sequence, step.report);
  if ('command' in step) return runCommand(sequence, step.command);
  if ('advance' in step) return advance(sequence, step.advance.seconds, step.expected);
  return look(sequence, step.check);
}

function describe(step: Step): string {
  const [kind = '', what] = Object.entries(step).find(([name]) => name !== 'expected') ?? [];
  const { id, call, name, what: check } = (what ?? {}) as Record<string, unknown>;
  return `${kind} ${String(id ?? call ?? name ?? check ?? '')}`.trim();
}
