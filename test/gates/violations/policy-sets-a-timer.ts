// place: libs/policy/src/violation.ts
// gate: compiler
export const later = (work: () => void) => setTimeout(work, 10);
