/** Redaction: what is a secret in a text or a value, and what stands in its place. */
export { createRedactor, type FoundKind, type Redactor, type Tag } from './redactor.js';
export { findSecrets, type Span } from './scan/find-secrets.js';
export { isSecretName } from './rules/names.js';
export { isMarker } from './rules/values.js';
