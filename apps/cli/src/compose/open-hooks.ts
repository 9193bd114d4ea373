/** The hooks of this installation: the hook file, read and loaded once per app. */
import { createHooks, loadHooks, type Hooks, type HookSurroundings } from '@countersign/hooks';
import { homeLayout } from '../home/layout.js';
import type { AppContext } from './apps.js';
import { PartMissing } from './part-missing.js';

/** Throws PartMissing with one line for each thing that is wrong. No file: no hooks. */
export async function openHooks({ env, parts, log }: Pick<AppContext, 'env' | 'parts' | 'log'>): Promise<Hooks> {
  const logger = log.forApp('hooks');
  const surroundings: HookSurroundings = {
    log: (line, fields) => logger.info(fields, line),
    snapshot: (tenantId, sessionId) => parts.ledger.sessions.count(tenantId, sessionId),
  };
  const path = env.hookFile ?? homeLayout(env.home).hooks;
  const loaded = await loadHooks(path, surroundings, { named: env.hookFile !== null });
  if (!loaded.ok) throw new PartMissing(loaded.problems.join('\n'));
  return createHooks(loaded.hooks);
}
