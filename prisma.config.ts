/** Where Prisma finds schema and migrations. The schema engine runs as WebAssembly from npm, so nothing is ever downloaded. */
import { defineConfig } from 'prisma/config';

// `prisma generate` insists on an engine binary although it needs none; any executable satisfies it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
