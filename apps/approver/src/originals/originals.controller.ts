/** The door to calls as they were before redaction: a right of its own, and every reading on record before it is answered. */
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { DoorError, TENANT_STREAM } from '@countersign/contracts';
import { appendRecord, type Ledger, type VaultItem } from '@countersign/ledger';
import { CurrentPrincipal, OriginalUnreadable, type Principal, type VaultKeys } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';
import { LEDGER, VAULT_KEYS } from '../tokens.js';

/** What was sealed with a call: arguments as canonical JSON text, and the words around them. */
const originalSchema = z.object({
  args: z.string(),
  cwd: z.string().nullable(),
  description: z.string().nullable(),
  resolvedPaths: z.record(z.string(), z.unknown()),
});

/** What is sealed of a call; null where nothing was redacted. */
export interface OriginalView {
  readonly id: string;
  /** The call as the agent sent it. */
  readonly request: z.infer<typeof originalSchema> | null;
  /** Canonical JSON of the arguments as hooks rewrote them. */
  readonly finalArgs: string | null;
  /** The same as a person edited them before approving. */
  readonly editedArgs: string | null;
}

const KINDS = ['arguments', 'final-arguments', 'edited-arguments'] as const;

@Controller('/v1/tool-calls')
export class OriginalsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(VAULT_KEYS) private readonly keys: VaultKeys,
  ) {}

  @Get(':id/original')
  async original(@CurrentPrincipal() who: Principal, @Param('id') callId: string): Promise<OriginalView> {
    if (who.rights?.includes('originals.read') !== true) throw new DoorError('auth.no_right');
    const [request, finalArgs, editedArgs] = await Promise.all(KINDS.map((kind) => this.find(who, callId, kind)));
    if (!request && !finalArgs && !editedArgs) throw new DoorError('original.unknown');
    await this.recordRead(who, callId);
    return {
      id: callId,
      request: request ? originalSchema.parse(JSON.parse(this.open(request))) : null,
      finalArgs: finalArgs ? this.open(finalArgs) : null,
      editedArgs: editedArgs ? this.open(editedArgs) : null,
    };
  }

  private find({ tenantId }: Principal, callId: string, kind: string): Promise<VaultItem | null> {
    return this.ledger.vault.get(tenantId, callId, kind);
  }

  private open(item: VaultItem): string {
    try {
      return this.keys.open(item);
    } catch (error) {
      if (error instanceof OriginalUnreadable) throw new DoorError('original.unreadable');
      throw error;
    }
  }

  /** INVARIANT: who cannot be recorded does not read. */
  private async recordRead(who: Principal, callId: string): Promise<void> {
    const event = { type: 'LogRead', version: 1, body: { by: actorOf(who), query: `original ${callId}` } } as const;
    const stored = await appendRecord(this.ledger, { tenantId: who.tenantId, streamId: TENANT_STREAM }, [event]);
    if (!stored?.ok) throw new Error('reading an original could not be recorded');
  }
}
