/** Scripts that a call would run although they do not stand there as such: built from variables, decoded, or inside other code. */
import { embeddedScripts, runsText } from './embedded.js';
import { foldOutput, foldWord, type FoldScene } from './fold.js';
import type { ShellCall } from './plan.js';
import type { ShellWord } from './tree.js';
import { isShell } from './wrappers.js';

/** `sure`: this is what runs. Otherwise it is what stands in code that nobody has read in full. */
export interface HiddenScript {
  readonly text: string;
  readonly sure: boolean;
}

const NOTHING: readonly HiddenScript[] = [];

/** The scripts of one call. Empty for most. */
export function hiddenScripts(call: ShellCall, scene: FoldScene): readonly HiddenScript[] {
  const embedded = embeddedScripts(withFedText(call, scene));
  if (embedded.length === 0 && call.doubt === null) return NOTHING;
  const out = embedded.map((text): HiddenScript => ({ text, sure: false }));
  const built = builtScript(call, scene);
  if (built !== null && built.trim() !== '') out.push({ text: built, sure: true });
  return out;
}

/** `echo … | python3`: what is piped in, where the script itself fixes it. */
function withFedText(call: ShellCall, scene: FoldScene): ShellCall {
  const { input } = call;
  if (input.kind !== 'pipe' || !runsText(call)) return call;
  const text = foldOutput(scene.calls.slice(input.from, scene.calls.indexOf(call)), scene);
  return text === null ? call : { ...call, input: { kind: 'text', text } };
}

function builtScript(call: ShellCall, scene: FoldScene): string | null {
  if (call.doubt === 'dynamic_program') return builtCommand(call, scene);
  if (call.doubt === 'shell_input' && call.input.kind === 'pipe') {
    return foldOutput(scene.calls.slice(call.input.from, scene.calls.indexOf(call)), scene);
  }
  if (call.doubt !== 'dynamic_script' && !isShell(call.program ?? '')) return null;
  return call.doubt === 'dynamic_script' ? builtText(call, scene) : null;
}

/** `eval $x`, `sh -c "$x"`. */
function builtText(call: ShellCall, scene: FoldScene): string | null {
  const { program, args } = call;
  const words =
    program === 'eval' ? args : args.slice(args.findIndex((word) => /^-[a-zA-Z]*c$/.test(word.value)) + 1).slice(0, 1);
  if (program !== 'eval' && !isShell(program ?? '')) return null;
  const texts = words.map((word) => foldWord(word, scene));
  return texts.includes(null) ? null : texts.join(' ');
}

const MAX_BUILT = 10_000;

/** A command whose program is built: the shell splits what it is built from at blanks, but reads nothing else into it. */
function builtCommand(call: ShellCall, scene: FoldScene): string | null {
  // A wildcard alone stays what it is, and would be taken apart for ever.
  if (call.name?.pieces.some((piece) => piece.kind === 'variable' || piece.kind === 'dynamic') !== true) return null;
  const parts: string[] = [];
  let length = 0;
  for (const word of [call.name, ...call.args]) {
    const part = spelledOut(word, scene);
    length += part?.length ?? 0;
    if (part === null || length > MAX_BUILT) return null;
    parts.push(part);
  }
  return parts.filter((part) => part !== '').join(' ');
}

function spelledOut(word: ShellWord, scene: FoldScene): string | null {
  if (word.literal) return quoted(word.value);
  const text = foldWord(word, scene);
  if (text === null) return word.pieces[0]?.kind === 'dynamic' && word.pieces.length === 1 ? null : (text ?? null);
  if (word.pieces.some((piece) => piece.kind === 'glob' || piece.kind === 'brace')) return text;
  return word.text.startsWith('"') ? quoted(text) : splitAtFields(text, scene).map(quoted).join(' ');
}

/** The shell splits at blanks, or at what the script sets IFS to. */
function splitAtFields(text: string, scene: FoldScene): string[] {
  const fields = scene.bindings.get('IFS')?.words[0];
  const marks = fields?.literal === true && fields.value !== '' ? fields.value : ' \t\n';
  const out: string[] = [''];
  for (const char of text) {
    if (marks.includes(char)) out.push('');
    else out[out.length - 1] += char;
  }
  return out.filter((part) => part !== '');
}

function quoted(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
