/** A worker as an application context: no door of its own, only consumers. */
import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { nestLogger } from '@countersign/server';
import { WORKER_DEPS, type WorkerDeps } from './worker-deps.js';
import { WorkerService } from './worker.service.js';

@Module({})
class WorkerModule {
  static with(deps: WorkerDeps): DynamicModule {
    return { module: WorkerModule, providers: [{ provide: WORKER_DEPS, useValue: deps }, WorkerService] };
  }
}

export interface RunningWorker {
  /** Running jobs end first; what it was given stays open. */
  close(): Promise<void>;
}

/** Resolves when the worker takes jobs. */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const app = await NestFactory.createApplicationContext(WorkerModule.with(deps), {
    logger: nestLogger(deps.logger),
    abortOnError: false,
  });
  return { close: () => app.close() };
}
