/** Permits: signed proof, for whoever runs a tool, that exactly this call was allowed. Needs nothing but Node. */
export { canonicalText, hashOf } from './canonical.js';
export { type Obligations, type PermitClaims } from './claims.js';
export { newPermitSeed, signingKeyOf, type PermitJwk, type PermitKeySet, type SigningKey } from './keys.js';
export { signPermit } from './sign.js';
export { readPermit, verifyPermit, type PermitCheck, type PermitRefusal, type PermitUse } from './verify.js';
