/** The page behind a mail's link: the ask as text, and a form. Without scripts; everything from outside stands escaped. */
import { createHash } from 'node:crypto';
import type { AskCard } from '@countersign/approval';

/** What the page shows. `form` null: there is nothing to answer (any more). */
export interface AnswerPage {
  readonly title: string;
  /** One sentence above everything else; null: none. */
  readonly notice: string | null;
  readonly card: AskCard | null;
  readonly form: { readonly token: string; readonly approvable: boolean } | null;
  readonly signIn: boolean;
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}' +
  'pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:1rem}button{font:inherit;padding:.5rem 1rem}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Headers of the page. The referrer stays on our site: with none at all, browsers would send the form with an origin that names
 * nobody.
 */
export const ANSWER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function answerPage({ title, notice, card, form, signIn }: AnswerPage): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${html(title)}</title><style>${STYLE}</style></head><body><main><h1>${html(title)}</h1>`,
    ...(notice === null ? [] : [`<p role="status">${html(notice)}</p>`]),
    ...(signIn
      ? ['<p><a href="/sign-in" target="_blank" rel="noopener">Sign in</a>, then send the answer again.</p>']
      : []),
    ...(card === null ? [] : [`<pre>${html(card.text)}</pre>`]),
    ...(form === null ? [] : [formOf(form)]),
    '</main></body></html>',
  ].join('');
}

function formOf({ token, approvable }: NonNullable<AnswerPage['form']>): string {
  const button = (answer: string, label: string): string => `<button name="answer" value="${answer}">${label}</button>`;
  return [
    `<form method="post"><input type="hidden" name="t" value="${html(token)}">`,
    '<p><label>Reason, told to the agent<br><input name="reason" maxlength="2000" size="60"></label></p>',
    `<p>${approvable ? `${button('approve', 'Approve')} ` : ''}${button('reject', 'Reject')}</p></form>`,
    ...(approvable ? [] : ['<p>Not approvable from here: <a href="/">open the page</a>.</p>']),
  ].join('');
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function html(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
}
