// place: libs/agents/src/violation.ts
// gate: lint no-restricted-syntax
export const globals = globalThis;
