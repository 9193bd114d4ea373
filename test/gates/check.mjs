/**
 * Proves that the boundary gates can fail: puts every seeded violation in its place, in memory only, and reports by which
 * gate it was caught. Prints one JSON object: {projects: [...], violations: [...]}.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
process.chdir(root);

/** Compiles the room of `place` with the violation added to its files and returns the messages about it. */
function compile(place, code) {
  const room = path.join(root, place.split('/').slice(0, 2).join('/'));
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(room, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  );
  const file = path.join(root, place);
  const options = { ...config.options, noEmit: true, composite: false, incremental: false, tsBuildInfoFile: undefined };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => (path.resolve(name) === file ? code : readFile.call(host, name));
  host.fileExists = (name) => path.resolve(name) === file || fileExists.call(host, name);
  host.getSourceFile = (name, ...rest) =>
    path.resolve(name) === file
      ? ts.createSourceFile(name, code, options.target, true)
      : getSourceFile.call(host, name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map((item) => ts.flattenDiagnosticMessageText(item.messageText, ' '));
}

async function lint(eslint, place, code) {
  const [result] = await eslint.lintText(code, { filePath: path.join(root, place) });
  return result.messages.map((item) => item.ruleId ?? item.message);
}

function projects() {
  return ['libs', 'apps'].flatMap((kind) =>
    readdirSync(path.join(root, kind)).map((name) => {
      const manifest = JSON.parse(readFileSync(path.join(root, kind, name, 'package.json'), 'utf8'));
      return { name: manifest.name, tags: manifest.nx?.tags ?? [] };
    }),
  );
}

execFileSync('npx', ['--no-install', 'nx', 'show', 'projects'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
  stdio: 'ignore',
});
const eslint = new ESLint({ cwd: root });
const violations = [];
for (const name of readdirSync(path.join(here, 'violations')).sort()) {
  const code = readFileSync(path.join(here, 'violations', name), 'utf8');
  const place = /^\/\/ place: (\S+)$/m.exec(code)?.[1];
  const [gate, rule] = /^\/\/ gate: (.+)$/m.exec(code)?.[1].split(' ') ?? [];
  const found = gate === 'compiler' ? compile(place, code) : await lint(eslint, place, code);
  violations.push({ name, gate, caught: gate === 'compiler' ? found.length > 0 : found.includes(rule), found });
}
const innocent = '/** Nothing wrong here. */\nexport const answer = 42;\n';
const clean = {
  compiler: compile('libs/policy/src/violation.ts', innocent),
  lint: await lint(eslint, 'libs/policy/src/violation.ts', innocent),
};
process.stdout.write(JSON.stringify({ projects: projects(), violations, clean }));
