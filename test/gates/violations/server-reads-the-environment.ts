// place: libs/server/src/violation.ts
// gate: lint no-restricted-properties
export const url = process.env['DATABASE_URL'];
