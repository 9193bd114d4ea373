/** What goes into the ledger and what comes back. */
import type { PriorCall, SessionState, TenantState } from '@countersign/approval';
import type { CallKey, LedgerEvent } from '@countersign/contracts';

export interface StreamKey {
  readonly tenantId: string;
  readonly streamId: string;
}

/** Events for one stream. */
export interface StreamAppend extends StreamKey {
  /** 0 for a new stream; null: whatever the number is, only for events that change no state. */
  readonly expectedSeq: number | null;
  readonly events: readonly LedgerEvent[];
  /** What `evolve` (for the tenant's own stream `evolveTenant`) made of it with these events; null keeps the stored one. */
  readonly state: SessionState | TenantState | null;
  /** Only when the stream is opened. */
  readonly parentId?: string | null;
  readonly rootId?: string | null;
  readonly keyId?: string | null;
}

/** What is stored together or not at all. */
export interface AppendUnit {
  readonly streams: readonly StreamAppend[];
  /** The epochs that the unit was decided under. */
  readonly epochs: readonly { readonly tenantId: string; readonly epoch: number }[];
  /** Streams that were read and must not have moved: the ancestors. */
  readonly unmoved: readonly (StreamKey & { readonly seq: number })[];
  /** Tenants whose epoch this unit raises. */
  readonly raiseEpoch?: readonly string[];
  /** Sealed originals that belong to these events. */
  readonly vault?: readonly VaultEntry[];
}

/** A sealed original. `size` is that of what was sealed, in bytes; `keyId` names the key that opens it. */
export interface VaultEntry {
  readonly tenantId: string;
  readonly callId: string;
  /** What was sealed: `arguments`, `output`, …; at most one of a kind for each call. */
  readonly kind: string;
  readonly keyId: string;
  readonly sealed: string;
  readonly size: number;
}

/** Why a unit was not stored: load again and decide again. */
export type Conflict = 'seq' | 'unmoved' | 'epoch' | 'key' | 'ask' | 'frozen' | 'grant' | 'kill';

/** One stored event; `hash` in hex, `time` ISO-8601 UTC with microseconds. */
export interface Appended {
  readonly streamId: string;
  readonly seq: number;
  readonly time: string;
  readonly hash: string;
}

/** `appended` has one item per event of the unit, in order. A deadline is null when the ask waits without limit. */
export type UnitResult =
  | {
      readonly ok: true;
      readonly appended: readonly Appended[];
      readonly asks: readonly { readonly askId: string; readonly deadline: string | null }[];
    }
  | { readonly ok: false; readonly conflict: Conflict; readonly detail: string }
  /** This very unit cannot be stored; the others of its round are not hurt. */
  | { readonly ok: false; readonly error: string };

/** A call without tool-use id: which unfinished call is it? */
export interface HashJoin {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly tool: string;
  readonly callHash: string;
}

export interface RoundQuery {
  readonly tenants: readonly string[];
  /** Tenant -> the epoch whose state the caller has cached; a tenant's state comes back only if its epoch differs. */
  readonly knownEpochs?: ReadonlyMap<string, number>;
  /** `knownSeq`: what the caller has cached; the head comes back only if it differs. */
  readonly streams: readonly (StreamKey & { readonly knownSeq: number | null })[];
  readonly keys: readonly CallKey[];
  readonly hashJoins: readonly HashJoin[];
}

export interface Head extends StreamKey {
  readonly seq: number;
  readonly parentId: string | null;
  readonly rootId: string | null;
  readonly keyId: string | null;
  readonly state: SessionState;
}

export interface Round {
  /** The database's clock, ISO-8601 UTC. */
  readonly now: string;
  readonly epochs: ReadonlyMap<string, number>;
  /** Kill switches and tenant-wide grants of each tenant whose epoch differs from the known one, read together with it. */
  readonly tenantStates: ReadonlyMap<string, TenantState>;
  /** Uses left of tenant-wide grants that have a count, by grant id; one that is absent has none left. */
  readonly usesLeft: ReadonlyMap<string, number>;
  /** Only heads that moved past `knownSeq`; a stream that is absent and was not known does not exist. */
  readonly heads: readonly Head[];
  readonly keys: readonly { readonly key: CallKey; readonly prior: PriorCall }[];
  /** The newest unfinished call for each join that has one. */
  readonly joins: readonly { readonly join: HashJoin; readonly prior: PriorCall }[];
}

/** The two halves of a decision, on one connection. */
export interface LedgerTransaction {
  loadRound(query: RoundQuery): Promise<Round>;
  append(units: readonly AppendUnit[]): Promise<UnitResult[]>;
}
