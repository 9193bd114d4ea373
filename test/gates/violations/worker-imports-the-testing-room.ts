// place: apps/worker/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export * from '@countersign/testing';
