/** Why a hook gave no answer, as an error on its way to the chain. */
import type { HookFailure } from '@countersign/contracts';

export class HookFailed extends Error {
  override readonly name = 'HookFailed';
  constructor(
    readonly failure: HookFailure,
    message: string,
  ) {
    super(message);
  }
}
