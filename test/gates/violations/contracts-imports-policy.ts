// place: libs/contracts/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export * from '@countersign/policy';
