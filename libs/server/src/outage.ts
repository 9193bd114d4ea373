/** Outages of the services behind us: one line when one begins, one when it ends, and metrics; whatever reports meanwhile is counted. */
import { NO_METER, type Meter, type ServiceName } from '@countersign/contracts';
import { endsWithin } from './ends-within.js';

export interface OutageOptions {
  readonly service: ServiceName;
  /** Resolves when the service answers. */
  readonly ping: () => Promise<unknown>;
  readonly log: { warn(fields: object, text: string): void; info(fields: object, text: string): void };
  readonly meter?: Meter;
  /** Pause between two looks; 2 s unless given. */
  readonly everyMs?: number;
}

export interface OutageWatch {
  /** False from the first failed look to the first good one. */
  readonly up: boolean;
  /** A connection reported a failure: looks at once whether the service is away. */
  failed(error: unknown): void;
  stop(): Promise<void>;
}

const EVERY_MS = 2_000;
/** One look may fail because this process was busy itself; it counts when the next one fails as well. */
const AGAIN_MS = 250;
const LIMIT_MS = 1_000;
const REASON_LENGTH = 200;

/** Looks now and then, and at once after a reported failure. A service that answers is up, whatever single connections say. */
export function watchOutages(options: OutageOptions): OutageWatch {
  const { service, log, meter = NO_METER, everyMs = EVERY_MS } = options;
  let since: number | null = null;
  let doubted = false;
  let reported = 0;
  let reason: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let stopped = false;
  meter.set('countersign_service_up', 1, { service });

  function judge(answers: boolean): void {
    const confirmed = doubted;
    doubted = !answers;
    if (!answers && since === null && confirmed) {
      since = performance.now();
      meter.set('countersign_service_up', 0, { service });
      meter.count('countersign_outages_total', { service });
      log.warn({ service, cause: reason ?? 'no answer' }, 'a service is away; waiting for it');
    } else if (answers && since !== null) {
      const ms = Math.round(performance.now() - since);
      since = null;
      meter.set('countersign_service_up', 1, { service });
      log.info({ service, ms, failures: reported }, 'the service is back');
    }
    if (answers) [reported, reason] = [0, null];
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    const answers = await endsWithin(LIMIT_MS, (async () => options.ping())());
    if (stopped) return;
    judge(answers);
    const unsure = doubted && since === null;
    timer = setTimeout(begin, unsure ? Math.min(AGAIN_MS, everyMs) : everyMs).unref();
  }

  function begin(): void {
    looking ??= look().finally(() => (looking = null));
  }

  begin();
  return {
    get up() {
      return since === null;
    },
    failed: (error) => {
      reported += 1;
      reason = reasonOf(error);
      meter.count('countersign_service_errors_total', { service });
      if (since === null && !stopped) begin();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const said = typeof message === 'string' && message !== '' ? message : String(code ?? error);
  return said.slice(0, REASON_LENGTH);
}
