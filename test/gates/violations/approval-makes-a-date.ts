// place: libs/approval/src/violation.ts
// gate: lint no-restricted-syntax
export const now = () => new Date();
