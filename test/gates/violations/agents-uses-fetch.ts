// place: libs/agents/src/violation.ts
// gate: compiler
export const load = () => fetch('http://127.0.0.1/');
