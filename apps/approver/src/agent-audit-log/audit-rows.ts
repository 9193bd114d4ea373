/** The agent's audit log as AstroResearch keeps it, read out of a session's stream: one row a result, one for the session's end. */
import type { SessionEvent, StoredEvent } from '@countersign/contracts';

/** The members are the seed's own columns. `elapsed_ms` null: the agent did not say. */
export interface AuditRow {
  readonly session_id: string;
  /** Number of the loop's step, 0 before the first. */
  readonly step: number;
  readonly tool_name: string;
  readonly status: 'OK' | 'FAIL' | 'SESSION_STOP';
  readonly elapsed_ms: number | null;
  /** First 200 characters of what the model was given. */
  readonly output_preview: string;
  /** `lead`, or the name of a subagent. */
  readonly agent_name: string;
  /** ISO-8601 UTC, the database's clock. */
  readonly created_at: string;
}

const PREVIEW_CHARACTERS = 200;

type BodyOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['body'];

/** The rows of these events in order, and the step that the last of them left. `step`: the one that the first began in. */
export function auditRows(
  events: readonly StoredEvent[],
  place: { readonly agentName: string; readonly step: number },
): { rows: AuditRow[]; step: number } {
  const rows: AuditRow[] = [];
  let { step } = place;
  for (const event of events) {
    const row = { session_id: event.streamId, step, agent_name: place.agentName, created_at: event.time };
    switch (event.type) {
      case 'StepReported':
        step = (event.body as BodyOf<'StepReported'>).step;
        break;
      case 'ToolResultReported':
        rows.push({ ...row, ...resultOf(event.body as BodyOf<'ToolResultReported'>) });
        break;
      case 'SessionStopped': {
        const { reason } = event.body as BodyOf<'SessionStopped'>;
        rows.push({
          ...row,
          tool_name: 'session',
          status: 'SESSION_STOP',
          elapsed_ms: null,
          output_preview: firstCharacters(reason),
        });
        break;
      }
      default:
        break;
    }
  }
  return { rows, step };
}

function resultOf({ tool, status, elapsedMs, preview, error }: BodyOf<'ToolResultReported'>) {
  return {
    tool_name: tool,
    status: status === 'succeeded' ? ('OK' as const) : ('FAIL' as const),
    elapsed_ms: elapsedMs,
    output_preview: firstCharacters(preview === '' ? (error ?? '') : preview),
  };
}

/** By code point: half a character is none. */
function firstCharacters(text: string): string {
  return [...text.slice(0, PREVIEW_CHARACTERS * 2)].slice(0, PREVIEW_CHARACTERS).join('');
}
