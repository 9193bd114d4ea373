/** The kept rule set: secretlint's recommended rules, each run on the parts of a text that its keywords point at. */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';

interface Source {
  readonly filePath: string;
  readonly ext: string;
  readonly contentType: 'text';
  readonly content: string;
}

/** What a rule of secretlint is to us; its package types it by packages that it does not bring along. */
interface KeptRule {
  readonly meta: { readonly id: string };
  create(context: KeptContext, options: Record<string, never>): { file(source: Source): unknown };
}

interface KeptContext {
  createTranslator(messages: unknown): (id: string) => string;
  report(found: { message: string; range: readonly [number, number] }): void;
  ignore(): void;
}

export interface KeptFinder {
  readonly keywords: readonly string[];
  readonly before: number;
  readonly after: number;
  readonly find: (
    text: string,
    window: { start: number; end: number },
  ) => { kind: string; start: number; end: number }[];
}

const PREFIX = '@secretlint/secretlint-rule-';

/** What wakes each rule, lower case. Rules about files, about comments and about whole URLs (ours are closer) are left out. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  aws: [
    'akia',
    'asia',
    'agpa',
    'aida',
    'aroa',
    'aipa',
    'anpa',
    'anva',
    'a3t',
    'secret_access',
    'secretaccess',
    'access_key',
    'accesskey',
  ],
  npm: ['npm_', '_authtoken=', 'x-oauth-basic'],
  slack: ['xoxb', 'xoxp', 'xapp', 'xoxa', 'xoxo', 'xoxr', 'hooks.slack.com'],
  openai: ['sk-', 't3blbkfj'],
  anthropic: ['sk-ant-'],
  linear: ['lin_api_'],
  privatekey: ['private key'],
  sendgrid: ['sg.'],
  shopify: ['shppa', 'shpca', 'shpat', 'shpss'],
  github: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  '1password': ['ops_ey'],
};

/** An account's number is no secret. */
const HARMLESS_MESSAGES: ReadonlySet<string> = new Set(['AWSAccountID']);

const REACH = { before: 300, after: 1_024 };
const REACH_OF_KEYS = { before: 64, after: 12_288 };

/** Every kept rule as a finder. */
export function keptRules(): KeptFinder[] {
  return (rules as unknown as readonly KeptRule[]).flatMap((rule) => {
    const name = rule.meta.id.slice(PREFIX.length);
    const keywords = KEYWORDS[name];
    if (keywords === undefined) return [];
    const reach = name === 'privatekey' ? REACH_OF_KEYS : REACH;
    return [{ keywords, ...reach, find: (text, window) => runKept(rule, text, window) }];
  });
}

function runKept(rule: KeptRule, text: string, { start, end }: { start: number; end: number }) {
  const spans: { kind: string; start: number; end: number }[] = [];
  const kind = rule.meta.id.slice(PREFIX.length);
  const context: KeptContext = {
    createTranslator: () => (id) => id,
    report: ({ message, range }) => {
      if (HARMLESS_MESSAGES.has(message)) return;
      spans.push({ kind, start: start + range[0], end: start + range[1] });
    },
    ignore: () => undefined,
  };
  rule.create(context, {}).file({ filePath: 'text', ext: '', contentType: 'text', content: text.slice(start, end) });
  return spans;
}
