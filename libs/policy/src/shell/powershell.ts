/** A small reader for PowerShell: plain commands in a row. Anything cleverer is not understood, and so asks. */
import { operandsOf } from '../commands/operands.js';
import type { ShellCall, ShellPlan } from './plan.js';
import type { ShellDoubt, ShellRedirect, ShellWord } from './tree.js';
import { hasControl, hasInvisible } from './characters.js';
import { literalWord } from './word.js';

// prettier-ignore
const ALIASES: Readonly<Record<string, string>> = {
  ri: 'Remove-Item', rm: 'Remove-Item', del: 'Remove-Item', erase: 'Remove-Item', rd: 'Remove-Item', rmdir:
  'Remove-Item', gci: 'Get-ChildItem', ls: 'Get-ChildItem', dir: 'Get-ChildItem', gc: 'Get-Content', cat:
  'Get-Content', type: 'Get-Content', sc: 'Set-Content', ac: 'Add-Content', clc: 'Clear-Content', ni: 'New-Item', md:
  'New-Item', mkdir: 'New-Item', mi: 'Move-Item', mv: 'Move-Item', move: 'Move-Item', cpi: 'Copy-Item', cp:
  'Copy-Item', copy: 'Copy-Item', rni: 'Rename-Item', ren: 'Rename-Item', si: 'Set-Item', iex: 'Invoke-Expression',
  icm: 'Invoke-Command', iwr: 'Invoke-WebRequest', curl: 'Invoke-WebRequest', wget: 'Invoke-WebRequest', irm:
  'Invoke-RestMethod', saps: 'Start-Process', start: 'Start-Process', spps: 'Stop-Process', kill: 'Stop-Process', ps:
  'Get-Process', gps: 'Get-Process', sl: 'Set-Location', cd: 'Set-Location', chdir: 'Set-Location', gl:
  'Get-Location', pwd: 'Get-Location', echo: 'Write-Output', write: 'Write-Output', sal: 'Set-Alias', nal:
  'New-Alias', sleep: 'Start-Sleep', tee: 'Tee-Object', diff: 'Compare-Object', compare: 'Compare-Object', sort:
  'Sort-Object', select: 'Select-Object', where: 'Where-Object', foreach: 'ForEach-Object', measure: 'Measure-Object',
  man: 'help', h: 'Get-History', history: 'Get-History', clear: 'Clear-Host', cls: 'Clear-Host',
};

const CMDLETS: ReadonlyMap<string, string> = new Map(
  [
    ...Object.values(ALIASES),
    'Write-Host',
    'Set-ExecutionPolicy',
    'Stop-Service',
    'Start-Service',
    'Remove-ItemProperty',
    'Set-ItemProperty',
    'Out-File',
    'Get-Item',
    'Test-Path',
  ].map((name) => [name.toLowerCase(), name]),
);

/** Marks of what this reader does not follow: expansions, blocks, sub-expressions, calls, redirects, splatting, escapes. */
const BEYOND = /[$`(){}@<>%&[\]]/;
const MAX_STATEMENTS = 200;

interface Reader {
  readonly words: ShellWord[];
  readonly statements: ShellWord[][];
  readonly doubts: Set<ShellDoubt>;
}

/** Takes a PowerShell line apart. Total; what it does not follow becomes the doubt `syntax`. */
export function decomposePowerShell(source: string, maxLength: number): ShellPlan {
  const reader: Reader = { words: [], statements: [], doubts: new Set() };
  if (source.length > maxLength) reader.doubts.add('too_long');
  if (hasControl(source.replaceAll('\r\n', '\n'))) reader.doubts.add('control_character');
  if (hasInvisible(source)) reader.doubts.add('invisible_character');
  readAll(reader, source);
  const calls = reader.statements.map(toCall);
  const none = { shapes: new Set<never>(), bindings: new Map<never, never>(), functions: [], lines: [] };
  return { source, calls, doubts: [...reader.doubts], ...none };
}

function readAll(reader: Reader, source: string): void {
  let at = 0;
  while (at < source.length && reader.statements.length < MAX_STATEMENTS) {
    const char = source.charAt(at);
    const separator = separatorAt(source, at);
    if (separator > 0) endStatement(reader);
    if (separator > 0) at += separator;
    else if (/\s/.test(char)) at += 1;
    else if (char === '#') at = lineEnd(source, at);
    else at = readWord(reader, source, at);
  }
  if (at < source.length) reader.doubts.add('too_many_parts');
  endStatement(reader);
}

/** Length of the separator of statements that stands here, or 0. */
function separatorAt(source: string, at: number): number {
  if (source.startsWith('&&', at) || source.startsWith('||', at)) return 2;
  return '\n;|'.includes(source.charAt(at)) ? 1 : 0;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end;
}

function endStatement(reader: Reader): void {
  if (reader.words.length > 0) reader.statements.push(reader.words.splice(0));
}

function readWord(reader: Reader, source: string, start: number): number {
  let at = start;
  let value = '';
  while (at < source.length && !/\s/.test(source.charAt(at)) && separatorAt(source, at) === 0) {
    const char = source.charAt(at);
    if (char === "'" || char === '"') {
      const end = closingQuote(reader, source, at);
      value += source.slice(at + 1, end);
      at = end + 1;
    } else {
      if (BEYOND.test(char)) reader.doubts.add('syntax');
      value += char;
      at += 1;
    }
  }
  reader.words.push({ ...literalWord(value), text: source.slice(start, at) });
  return at;
}

/** Where the quote ends; doubled quotes, expansions inside and a missing end are beyond this reader. */
function closingQuote(reader: Reader, source: string, at: number): number {
  const quote = source.charAt(at);
  const close = source.indexOf(quote, at + 1);
  const end = close < 0 ? source.length : close;
  const clever = quote === '"' && /[$`]/.test(source.slice(at, end));
  if (close < 0 || source.charAt(close + 1) === quote || clever) reader.doubts.add('syntax');
  return end;
}

function toCall(words: ShellWord[]): ShellCall {
  const [name, ...args] = words;
  const written = name?.value ?? '';
  const folded =
    (Object.hasOwn(ALIASES, written.toLowerCase())
      ? ALIASES[written.toLowerCase()]
      : CMDLETS.get(written.toLowerCase())) ?? written;
  const tail = args.map((word) => ` ${word.value}`).join('');
  const base = written.slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1);
  const spellings = [
    ...new Set([written + tail, folded + tail, base + tail, base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '') + tail]),
  ];
  const redirects: readonly ShellRedirect[] = [];
  const input = { kind: 'none' } as const;
  return {
    program: folded,
    name: name ?? null,
    args,
    assignments: [],
    redirects,
    operands: operandsOf({ program: folded, args, input, redirects }),
    input,
    source: words.map((word) => word.text).join(' '),
    text: written + tail,
    spellings,
    elsewhere: [],
    // `iex` runs text as a program.
    doubt: folded === 'Invoke-Expression' || folded === 'Invoke-Command' ? 'dynamic_script' : null,
    reveals: false,
    outer: -1,
    nest: -1,
    foreign: false,
    wrapper: null,
    inner: [],
    cwds: null,
  };
}
