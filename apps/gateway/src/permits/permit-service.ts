/** Permits at the agents' door: the keys that verify them, and redeeming one, which works once. */
import { DoorError, type RedeemBody } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { readPermit, verifyPermit, type PermitClaims, type PermitKeySet } from '@countersign/permits';
import type { Principal } from '@countersign/server';
import type { SessionDesk } from '../sessions/session-desk.js';
import type { FindSessionPolicy } from '../sessions/session-policies.js';
import { allowOf, databaseNow, endsAt } from './permit-maker.js';

export interface PermitServiceDeps {
  readonly ledger: Pick<Ledger, 'execute' | 'loadRound' | 'events'>;
  readonly sessions: Pick<SessionDesk, 'require'>;
  readonly policies: FindSessionPolicy;
  /** Public keys: that of new permits first, older ones as long as their permits may live. */
  readonly keys: PermitKeySet;
}

/** From now on the call counts as running. */
export interface RedeemedView {
  readonly id: string;
  readonly call: string;
  readonly obligations: PermitClaims['obligations'];
}

export class PermitService {
  constructor(private readonly deps: PermitServiceDeps) {}

  get keys(): PermitKeySet {
    return this.deps.keys;
  }

  /**
   * Takes the call up. Throws `permit.refused` with the reason for a permit that is not authentic, has expired or was made for
   * something else; `permit.redeemed` the second time; what the ledger says when cancel, stop,
   * breaker, deadline or kill came first.
   */
  async redeem(body: RedeemBody, principal: Principal): Promise<RedeemedView> {
    const claims = await this.check(body);
    // Another tenant's permit is no permit of ours at all.
    if (claims.tenant !== principal.tenantId) throw new DoorError('call.unknown');
    const target = { tenantId: claims.tenant, sessionId: claims.session };
    const state = await this.deps.sessions.require(target, principal);
    const { document } = await this.deps.policies(claims.tenant, state.opening?.policy ?? '');
    const { call: callId, jti: permitId } = claims;
    const decided = await allowOf(this.deps.ledger, target, callId);
    const done = await this.deps.ledger.execute(target, {
      type: 'RedeemPermit',
      callId,
      permitId,
      keyId: principal.keyId,
      endsWhenAllowed: decided === null ? 0 : endsAt(decided),
      sessionSeconds: document.sessionSeconds,
    });
    if (!done.ok)
      throw new DoorError(done.code, done.message, done.reason === undefined ? undefined : { reason: done.reason });
    return { id: permitId, call: callId, obligations: claims.obligations };
  }

  private async check({ permit, tool, args, cwd }: RedeemBody): Promise<PermitClaims> {
    const read = readPermit(permit, this.deps.keys);
    if (!read.ok) throw refused(read.reason);
    const { claims } = read;
    const now = Date.parse(await databaseNow(this.deps.ledger));
    const use = { now, args, tool: tool ?? claims.tool, cwd: cwd === undefined ? claims.cwd : cwd };
    const checked = verifyPermit(permit, this.deps.keys, use);
    if (!checked.ok) throw refused(checked.reason);
    return claims;
  }
}

function refused(reason: string): DoorError {
  return new DoorError('permit.refused', `the permit is refused: ${reason.replaceAll('_', ' ')}`, { reason });
}
