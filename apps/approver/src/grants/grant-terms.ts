/** What a grant's pattern and time may be. */
import { DoorError, escapeForDisplay, policyDocumentSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { compilePolicy } from '@countersign/policy';
import { databaseNow } from '../asks/list-asks.js';

/** Throws `grant.invalid` for a text that is no rule pattern. */
export function checkPattern(pattern: string): void {
  // As a deny rule: an allow rule that cannot be read is only warned of.
  const result = compilePolicy(policyDocumentSchema.parse({ deny: [pattern] }));
  if (!result.ok) throw new DoorError('grant.invalid', escapeForDisplay(result.problems[0]?.message ?? ''));
}

/** The moment `seconds` from now by the database's clock, ISO-8601 UTC. */
export async function fromNow(ledger: Ledger, seconds: number): Promise<string> {
  return later(await databaseNow(ledger), seconds);
}

/** `seconds` after a moment; both ISO-8601 UTC. */
export function later(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1_000).toISOString();
}
