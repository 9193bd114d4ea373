// place: apps/approver/src/violation.ts
// gate: boundaries @nx/enforce-module-boundaries
export { Pool } from 'pg';
