/** Waits that end. */

/** The promise's result, or `late()` thrown after `ms` milliseconds. The promise itself runs on and its failure is swallowed. */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** True when the work ended well within `ms` milliseconds, false when it failed or took longer. */
export async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  try {
    await within(ms, work, () => new Error('late'));
    return true;
  } catch {
    return false;
  }
}
