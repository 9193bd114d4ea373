// place: libs/policy/src/violation.ts
// gate: lint no-restricted-syntax
export const now = () => Date.now();
