/** Bull Board over our queues: what a person may look at, and nothing that changes a job. Loaded only where somebody looks. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import type { Queue as BullQueue } from 'bullmq';

/** What the board answers. `body` of the pages is text, of pictures bytes. */
export interface BoardAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

export interface Board {
  /** `path` below the board's own, beginning with `/`; `query` as it came. Null: there is no such page. Reads only. */
  get(path: string, query: Readonly<Record<string, unknown>>): Promise<BoardAnswer | null>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};
const JSON_TYPE = 'application/json; charset=utf-8';
/** No dots but before the last letters: a name that climbs out of its folder is no name. */
const STATIC = /^\/static\/((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.[a-z0-9]+)$/;
/** Fonts of another host: the page would tell it who looks. */
const FOREIGN_LINK = /<link[^>]+href="https?:[^>]*>/g;
const MOST_JOBS = 50;

interface Pages {
  queues: BullBoardQueues;
  uiConfig: UIConfig;
  routes: readonly AppControllerRoute[];
  views: readonly string[];
}

/** `basePath`: where the board lies at the door, such as `/admin/queues`. */
export function createBoard(queues: readonly unknown[], basePath: string): Board {
  const folder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));
  const adapters = queues.map((queue) => readOnly(queue as BullQueue));
  const pages: Pages = { queues: new Map(), uiConfig: {}, routes: [], views: [] };
  createBullBoard({
    queues: adapters,
    serverAdapter: collecting(pages),
    options: {
      uiBasePath: folder,
      uiConfig: { boardTitle: 'Countersign queues', hideDocsLink: true },
    },
  });
  return {
    get: async (path, query) => {
      const file = STATIC.exec(path)?.[1];
      if (file !== undefined) return staticFile(join(folder, 'dist/static', file));
      if (pages.views.some((view) => paramsOf(view, path) !== null)) return entryPage(folder, basePath, pages.uiConfig);
      return data(path, query, pages);
    },
  };
}

/** INVARIANT: what a job of calls holds is sealed, and even that is not shown. */
function readOnly(queue: BullQueue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true });
  adapter.setFormatter('data', (job: Record<string, unknown>) =>
    'calls' in job ? { ...job, calls: '[sealed]' } : job,
  );
  return adapter;
}

/** The server that the board is given only takes notes: of all its routes those that read are kept. */
function collecting(pages: Pages): IServerAdapter {
  const adapter: IServerAdapter = {
    setQueues: (queues) => {
      pages.queues = queues;
      return adapter;
    },
    setUIConfig: (config) => {
      pages.uiConfig = config;
      return adapter;
    },
    setEntryRoute: ({ route }) => {
      pages.views = [route].flat();
      return adapter;
    },
    setApiRoutes: (routes) => {
      pages.routes = routes.filter(({ method }) => method === 'get');
      return adapter;
    },
    setViewsPath: () => adapter,
    setStaticPath: () => adapter,
    setErrorHandler: () => adapter,
  };
  return adapter;
}

async function data(path: string, query: Readonly<Record<string, unknown>>, pages: Pages): Promise<BoardAnswer | null> {
  for (const { route, handler } of pages.routes) {
    const params = [route].flat().map((pattern) => paramsOf(pattern, path));
    const found = params.find((one) => one !== null);
    if (!found) continue;
    const { queues, uiConfig } = pages;
    const jobsPerPage = String(Math.min(Math.max(1, Math.floor(Number(query['jobsPerPage'])) || 10), MOST_JOBS));
    const request = { queues, uiConfig, params: found, query: { ...query, jobsPerPage }, body: {}, headers: {} };
    const answer = await handler(request);
    return { status: answer.status ?? 200, type: JSON_TYPE, body: JSON.stringify(answer.body) };
  }
  return null;
}

/** The parts of a path that the pattern names with `:`; null when it does not fit. */
function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':') && text !== '') params[part.slice(1)] = decode(text);
    else if (part !== text) return null;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function entryPage(folder: string, basePath: string, uiConfig: UIConfig): Promise<BoardAnswer> {
  const template = await readFile(join(folder, 'dist/index.ejs'), 'utf8');
  const values: Readonly<Record<string, string>> = {
    basePath: `${basePath}/`,
    title: uiConfig.boardTitle ?? '',
    uiConfig: JSON.stringify(uiConfig).replace(/</g, '\\u003c').replace(/>/g, '\\u003e'),
    favIconDefault: uiConfig.favIcon?.default ?? '',
    favIconAlternative: uiConfig.favIcon?.alternative ?? '',
  };
  const body = template
    .replace(FOREIGN_LINK, '')
    .replace(/<%[=-]\s*(\w+)\s*%>/g, (_whole, name: string) => values[name] ?? '');
  return { status: 200, type: 'text/html; charset=utf-8', body };
}

async function staticFile(path: string): Promise<BoardAnswer | null> {
  const type = TYPES[extname(path)];
  if (type === undefined) return null;
  const body = await readFile(path).catch(() => null);
  return body === null ? null : { status: 200, type, body };
}
