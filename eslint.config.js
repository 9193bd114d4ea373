/** One linter set-up; formatting belongs to Prettier. Every finding is an error. */
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const DATABASE = ['pg', '@prisma/*', '@prisma/**'];
const QUEUE = ['bullmq', 'ioredis'];
const BOUNDARIES = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:core', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:shell', onlyDependOnLibsWithTags: ['layer:contracts', 'layer:core', 'layer:shell'] },
  {
    sourceTag: 'layer:testing',
    onlyDependOnLibsWithTags: ['layer:contracts', 'layer:core', 'layer:shell', 'layer:embedded'],
  },
  {
    sourceTag: 'server-app',
    onlyDependOnLibsWithTags: ['layer:contracts', 'layer:core', 'layer:shell', 'layer:embedded'],
    bannedExternalImports: [...DATABASE, ...QUEUE],
  },
  {
    sourceTag: 'composition',
    onlyDependOnLibsWithTags: ['layer:contracts', 'layer:core', 'layer:shell', 'layer:embedded', 'server-app'],
    bannedExternalImports: [...DATABASE, ...QUEUE],
  },
  {
    sourceTag: 'pure',
    allowedExternalImports: [
      ...['zod', 'canonicalize', 'unbash', 're2js', 'yaml', 'smol-toml', '@countersign/*'],
      '@secretlint/secretlint-rule-preset-recommend',
    ],
  },
  // What executors embed imports nothing but Node.
  { sourceTag: 'layer:embedded', onlyDependOnLibsWithTags: [], allowedExternalImports: ['nothing'] },
  { sourceTag: 'room:ledger', bannedExternalImports: QUEUE },
  { sourceTag: 'room:server', bannedExternalImports: [...DATABASE, ...QUEUE] },
  { sourceTag: 'room:hooks', bannedExternalImports: [...DATABASE, ...QUEUE] },
];

/** Pure rooms: the same input gives the same output, always. */
const PURE = [
  'libs/contracts/src/**/*.ts',
  'libs/policy/src/**/*.ts',
  'libs/approval/src/**/*.ts',
  'libs/agents/src/**/*.ts',
  'libs/redaction/src/**/*.ts',
];
const IMPURE_SYNTAX = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'pure room: time comes in as data',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'pure room: time comes in as data' },
  { selector: "CallExpression[callee.name='Date']", message: 'pure room: time comes in as data' },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'pure room: chance comes in as data',
  },
  { selector: 'ImportExpression', message: 'pure room: no dynamic import' },
  { selector: "Identifier[name='globalThis']", message: 'pure room: no globals' },
  { selector: 'ImportDeclaration[source.value=/^node:/]', message: 'pure room: no Node built-ins' },
  { selector: 'AwaitExpression', message: 'pure room: synchronous' },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      'libs/ledger/src/generated/**',
      'test/data/**',
      'test/gates/violations/**',
      '.nx/**',
    ],
  },
  ...tseslint.configs.strict,
  {
    plugins: { '@nx': nx },
    rules: {
      complexity: ['error', { max: 10, variant: 'modified' }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 400, skipComments: true, skipBlankLines: true }],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['libs/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { '@nx/enforce-module-boundaries': ['error', { depConstraints: BOUNDARIES }] },
  },
  { files: PURE, ignores: ['**/*.spec.ts'], rules: { 'no-restricted-syntax': ['error', ...IMPURE_SYNTAX] } },
  {
    files: ['libs/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
    ignores: ['**/env.ts', '**/*.spec.ts', 'libs/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'the environment is parsed once, in env.ts' },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  { files: ['scripts/**', 'apps/cli/**', '**/*.js', '**/*.mjs', 'bench/**'], rules: { 'no-console': 'off' } },
  prettier,
);
