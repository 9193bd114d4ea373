/** The one error of starting up that is told to people instead of being a bug. */

/** Something that a service needs is away or unfit; the message is one line for a person. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}
