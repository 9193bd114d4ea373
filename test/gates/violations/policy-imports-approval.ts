// place: libs/policy/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export * from '@countersign/approval';
