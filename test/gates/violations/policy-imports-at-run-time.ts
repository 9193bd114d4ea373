// place: libs/policy/src/violation.ts
// gate: lint no-restricted-syntax
export const load = (name: string) => import(name);
