/** What can go wrong with the queue, with the code of the error table that each becomes at a door. */

/** Redis or Postgres did not take the job in time; the caller may try again. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
  readonly code = 'unavailable';
}

/** More jobs wait than the queue may hold; the caller should come back later. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  readonly code = 'overloaded';
}

/** The service at start-up is not fit for use (wrong policy, no answer); the message is one line for the operator. */
export class QueueUnfit extends Error {
  override readonly name = 'QueueUnfit';
}

/** Thrown by a handler that cannot finish its job now: the job goes back to the front of the queue for another worker. */
export class JobReturned extends Error {
  override readonly name = 'JobReturned';
}
