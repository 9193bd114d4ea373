// place: libs/approval/src/violation.ts
// gate: compiler
export const home = process.env['HOME'];
