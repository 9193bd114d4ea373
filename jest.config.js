/** One Jest project for the whole house: sources run through swc, workspace packages resolve to their sources. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@countersign/(gateway|worker|approver|cli)$': '<rootDir>/apps/$1/src/index.ts',
    '^@countersign/server/evidence$': '<rootDir>/libs/server/src/evidence/index.ts',
    '^@countersign/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  testMatch: ['<rootDir>/{libs,apps}/*/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.long\\.spec\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
};
