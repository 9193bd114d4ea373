/** The command line: `up` composes gateway, worker and approver in one process; `hook`, `audit` and `doctor` talk to them. */
export { main } from './program.js';
