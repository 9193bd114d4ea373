// place: apps/gateway/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export * from '@countersign/worker';
