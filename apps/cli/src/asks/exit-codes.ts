/** How the commands of `asks` end. */
export const DONE = 0;
/** The answer was not taken, or there is no such ask. */
export const NOT_TAKEN = 1;
/** Wrong usage, a key that was refused, or no service could be asked. */
export const NOT_ASKED = 2;
