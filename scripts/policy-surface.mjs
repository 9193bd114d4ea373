/**
 * The public surface of the policy room: every export with its declaration, from the compiled `.d.ts` files.
 * `node scripts/policy-surface.mjs` writes `test/data/policy-surface.txt`; a test compares.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { buildOrExit, ROOT } from './build.mjs';

export const SURFACE_FILE = join(ROOT, 'test/data/policy-surface.txt');
const ENTRY = join(ROOT, 'libs/policy/dist/index.d.ts');

/** The report: one entry an export, sorted by name, comments left out. Throws when the room is not built. */
export function policySurface() {
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
    lib: ['lib.es2022.d.ts'],
  };
  const program = ts.createProgram([ENTRY], options);
  const entry = program.getSourceFile(ENTRY);
  if (entry === undefined) throw new Error('libs/policy is not built');
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(entry));
  const entries = symbols.map((symbol) => entryOf(symbol, checker)).sort();
  return `${entries.join('\n')}\n`;
}

function entryOf(symbol, checker) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declarations = (target.declarations ?? []).map(declarationText);
  return `${symbol.name}\n${declarations.map((text) => text.replaceAll(/^/gm, '  ')).join('\n')}`;
}

function declarationText(declaration) {
  // A constant's declaration is the statement around it.
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  return inOneOrder(text.replace(/^export (?:declare )?/, ''));
}

/** The compiler writes the members of inferred enums and unions in the order it met them, which another build may change. */
function inOneOrder(text) {
  return text
    .replace(/(ZodEnum<\{\n)([^{}]*?)(\n\s*\}>)/g, (_whole, open, members, close) => {
      return `${open}${members.split('\n').sort().join('\n')}${close}`;
    })
    .replace(/"[^"\n]*"(?: \| "[^"\n]*")+/g, (union) => union.split(' | ').sort().join(' | '));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildOrExit();
  writeFileSync(SURFACE_FILE, policySurface());
  console.log(`wrote ${SURFACE_FILE}`);
}
