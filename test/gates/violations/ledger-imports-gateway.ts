// place: libs/ledger/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export * from '@countersign/gateway';
