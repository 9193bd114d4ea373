/** Feeding what a server sends to a shell or an interpreter: `curl … | sh`, `sh <(curl …)`, `eval "$(curl …)"`. */
import type { ShellCall } from '../../shell/plan.js';
import { isShell } from '../../shell/wrappers.js';
import { feedersOf } from './feeders.js';
import type { ShellWord } from '../../shell/tree.js';
import type { DangerScene } from './families.js';

const FETCHERS = new Set(['curl', 'wget', 'fetch', 'http', 'https', 'aria2c', 'nc', 'ncat', 'socat', 'ftp', 'lynx']);
const INTERPRETER = /^(?:python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript|pwsh|powershell|Rscript)$/;
const EVALUATORS = new Set(['eval', 'source', '.']);
const FETCH_TEXT = /(?:\$\(|`|<\()\s*(?:command\s+|env\s+)?(?:curl|wget|fetch|aria2c)\b/;

/** True when downloaded text would be run. */
export function isRemoteScript(call: ShellCall, scene: DangerScene): boolean {
  const { program } = call;
  if (program === null || !(isShell(program) || INTERPRETER.test(program) || EVALUATORS.has(program))) return false;
  if (call.args.some((word) => holdsFetched(word, scene))) return true;
  if (!call.args.every((word) => word.value.startsWith('-') || word.value === '/dev/stdin')) return false;
  return feedersOf(call, scene.plan).some((feeder) => feeder.program !== null && FETCHERS.has(feeder.program));
}

/** The word is what a fetcher prints, or a variable that the script gives it. */
function holdsFetched(word: ShellWord, scene: DangerScene): boolean {
  if (word.literal) return false;
  if (FETCH_TEXT.test(word.text)) return true;
  return word.pieces.some(
    (piece) =>
      piece.kind === 'variable' &&
      scene.plan.bindings.get(piece.name)?.words.some((given) => !given.literal && FETCH_TEXT.test(given.text)) ===
        true,
  );
}
