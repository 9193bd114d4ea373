/** Prisma's own schema engine as WebAssembly from npm: applies migrations without downloading anything. */
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

/** The folder with `schema.prisma` and `migrations`; sources and build output lie equally deep below the root. */
const PRISMA_FOLDER = fileURLToPath(new URL('../../../prisma/', import.meta.url));

/** What the typings leave out: how the generated glue is given its compiled module. */
interface WasmGlue {
  __wbg_set_wasm(exports: object): void;
}

/** While a script runs, nobody judges what has become of it. */
const LOCK_SCRIPT = `SELECT pg_advisory_xact_lock(hashtextextended('countersign.script', 0));`;

/** A script is done with the transaction that did it; the engine would say so only in the next one, and may be killed in between. */
const MARK_DONE = `;DO $$ BEGIN
  IF to_regclass('public._prisma_migrations') IS NOT NULL THEN
    UPDATE public._prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1
    WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $$;`;

/** So what is not done left nothing behind, and is begun afresh: the engine would refuse to go on, and wait for somebody to say so. */
const FORGET_BEGUN = `${LOCK_SCRIPT} DO $$ BEGIN
  IF to_regclass('public._prisma_migrations') IS NOT NULL THEN
    DELETE FROM public._prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $$;`;

/** The adapter cuts scripts at every semicolon, inside function bodies too; one query runs the script whole, and atomically. */
class WholeScripts extends PrismaPg {
  private readonly connections: { dispose(): Promise<void> }[] = [];
  /** What the database said of a script that it refused. */
  refusal: unknown;

  override async connect(): ReturnType<PrismaPg['connect']> {
    const connection = await super.connect();
    connection.executeScript = async (script) => {
      // The engine keeps for itself what the database said, so it is told from here.
      await connection
        .underlyingDriver()
        .query(`${LOCK_SCRIPT}\n${script}\n${MARK_DONE}`)
        .catch((error: unknown) => {
          this.refusal = error;
          throw error;
        });
    };
    this.connections.push(connection);
    return connection;
  }

  /** The engine leaves its connections open when it is freed. */
  async close(): Promise<void> {
    await Promise.all(this.connections.splice(0).map((connection) => connection.dispose()));
  }
}

/**
 * Applies every migration that the database lacks, as `prisma migrate deploy` would; returns their names in order. One that was refused,
 * or whose process ended in the middle, left nothing behind and is tried again. `owner` is a connection of the caller, one of whom runs at a time.
 */
export async function applyMigrations(owner: pg.Client, databaseUrl: string): Promise<string[]> {
  await owner.query(FORGET_BEGUN);
  const schema = await readFile(path.join(PRISMA_FOLDER, 'schema.prisma'), 'utf8');
  await loadEngine();
  const scripts = new WholeScripts({ connectionString: databaseUrl });
  const adapter = bindMigrationAwareSqlAdapterFactory(scripts);
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    adapter as never,
  );
  try {
    const result = await engine.applyMigrations({
      migrationsList: (await listMigrations(path.join(PRISMA_FOLDER, 'migrations'))) as never,
      filters: { externalTables: [], externalEnums: [] } as never,
    });
    return result.appliedMigrationNames;
  } catch (error) {
    const { refusal } = scripts;
    if (refusal instanceof Error) throw new Error(`a migration was refused: ${refusal.message}`, { cause: refusal });
    throw error;
  } finally {
    engine.free();
    await scripts.close();
  }
}

/** The part of the global that is used here; the typings keep it with those of browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | undefined;

function loadEngine(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(path.join(path.dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': patientImports() });
  (engineModule as unknown as WasmGlue).__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
}

/** The engine leaves a timer of 10 s behind, which must not keep a finished process alive. */
function patientImports(): object {
  const imports: Record<string, unknown> = { ...engineModule };
  for (const [name, value] of Object.entries(imports)) {
    if (!name.startsWith('__wbg_setTimeout_') || typeof value !== 'function') continue;
    imports[name] = (...args: unknown[]): unknown => {
      const timer: unknown = (value as (...given: unknown[]) => unknown)(...args);
      (timer as { unref?: () => void }).unref?.();
      return timer;
    };
  }
  return imports;
}

/** Names of all migrations that this program brings, in order. */
export async function migrationNames(): Promise<string[]> {
  const entries = await readdir(path.join(PRISMA_FOLDER, 'migrations'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map((entry) => entry.name).sort();
}

async function listMigrations(folder: string): Promise<object> {
  const directories = (await migrationNames()).map(async (name) => ({
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: { tag: 'ok', value: await readFile(path.join(folder, name, 'migration.sql'), 'utf8') },
    },
  }));
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(directories),
  };
}
