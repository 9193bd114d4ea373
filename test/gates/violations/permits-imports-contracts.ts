// place: libs/permits/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export { canonicalJson } from '@countersign/contracts';
