/** Hosts that the commands of a line reach, as far as their words say so. */
import type { ShellCall, ShellPlan } from '../shell/plan.js';
import type { ShellWord } from '../shell/tree.js';
import { possibleHosts } from '../rules/domain-pattern.js';

/** One word that names a host. `hosts` null: only the running shell knows which. */
export interface ShellAddress {
  readonly text: string;
  readonly hosts: readonly string[] | null;
}

/** `any`: also words that are no URL are addresses. `scp`: `user@host:path` too. `urls`: only what begins like a URL. */
type Reading = 'any' | 'scp' | 'urls';

const PROGRAMS: ReadonlyMap<string, Reading> = new Map([
  ...'curl curlie wget http https httpie xh xhs aria2c axel lynx w3m links elinks ping nc ncat netcat telnet ftp tftp ssh sftp mosh'
    .split(' ')
    .map((name): [string, Reading] => [name, 'any']),
  ...'scp rsync'.split(' ').map((name): [string, Reading] => [name, 'scp']),
  ...'hg svn pip pip3 npm npx pnpm yarn bun uv cargo gem brew docker podman helm gh glab kubectl aws gcloud rclone ab wrk hey websocat wscat youtube-dl yt-dlp xdg-open open chromium google-chrome firefox playwright'
    .split(' ')
    .map((name): [string, Reading] => [name, 'urls']),
]);

/** Subcommands of git that talk to the address that they are given. */
const GIT_NETWORK = new Set(
  'clone fetch pull push ls-remote remote submodule subtree send-pack fetch-pack http-fetch http-push archive request-pull svn lfs'.split(
    ' ',
  ),
);

/** Every address of the plan. Empty for most. */
export function addressesOf(plan: ShellPlan): ShellAddress[] {
  const out: ShellAddress[] = [];
  for (const call of plan.calls) {
    addSettings(out, call);
    const reading = readingOf(call);
    if (reading === null) continue;
    call.args.forEach((word, at) => {
      const flag = call.args[at - 1]?.value ?? '';
      const hosts = hostsAt(call, word, { flag, reading });
      if (hosts !== undefined) out.push({ text: word.text, hosts });
    });
  }
  return out;
}

function hostsAt(
  { program }: ShellCall,
  word: ShellWord,
  { flag, reading }: { flag: string; reading: Reading },
): readonly string[] | null | undefined {
  if (ROUTES.test(flag)) return routeHosts(word);
  const list = LISTS[program ?? ''];
  if (list !== undefined && (list.test(flag) || list.test(word.value.split('=')[0] ?? ''))) return null;
  return VALUE_FLAGS[program ?? '']?.test(flag) === true ? undefined : hostsOfWord(word, reading);
}

/** Flags that name a file of addresses. */
const LISTS: Readonly<Record<string, RegExp>> = {
  __proto__: null as never,
  curl: /^(?:-K|--config)$/,
  wget: /^(?:-i|--input-file)$/,
};

/** `https_proxy=x`, `ssh -o ProxyJump=x`, `git -c url.x.insteadOf=y`: settings that name what is reached. */
function addSettings(out: ShellAddress[], { program, args, assignments, text }: ShellCall): void {
  for (const { name, value } of assignments)
    if (value !== null && PROXY.test(`${name}=`)) addSetting(out, value, value.value);
  if (program === null || !maySet(program, text)) return;
  const form = settingForm(program);
  for (const word of args) {
    const head = form.exec(word.value)?.[0];
    if (head !== undefined) addSetting(out, word, word.value.slice(head.length));
  }
}

/** A setting of git counts only with a whole address. */
function maySet(program: string, text: string): boolean {
  return SETS.has(program) && (program !== 'git' || text.includes('://'));
}

function settingForm(program: string): RegExp {
  if (program === 'git') return /^(?:url|https?|remote)\.(?=.*:\/\/)/i;
  return program.startsWith('s') ? SSH_OPTION : PROXY;
}

const SETS = new Set(['git', 'export', 'declare', 'typeset', 'env', 'wget', 'ssh', 'scp', 'sftp', 'sudo']);
const PROXY = /^(?:https?|all|ftp|socks)_proxy=/i;
const SSH_OPTION = /^(?:-o)?(?:ProxyJump|HostName)[= ]|^(?:https?|all)_proxy=/i;

function addSetting(out: ShellAddress[], word: ShellWord, value: string): void {
  const host = /:\/\/(?:[^/?#@]*@)?([^/?#]+)/.exec(value)?.[1] ?? value.replace(/^[^@]*@/, '');
  if (host !== '') out.push({ text: word.text, hosts: /[$`]/.test(host) ? null : possibleHosts(`http://${host}`) });
}

function readingOf({ program, args }: ShellCall): Reading | null {
  if (program === null) return null;
  if (program === 'git') return args.some(({ value }) => GIT_NETWORK.has(value)) ? 'scp' : null;
  return PROGRAMS.get(program) ?? null;
}

/** Flags whose value is no address: a file, a header, what is sent. */
const VALUE_FLAGS: Readonly<Record<string, RegExp>> = {
  __proto__: null as never,
  curl: /^-[a-zA-Z#\d]*[odHuAeFTXbcDKEwmrzyYCPQtU]$|^--(?:output|header|data(?:-\w+)?|json|referer|user-agent|user|form(?:-string)?|request|upload-file|cookie(?:-jar)?|write-out)$/,
  wget: /^-[a-zA-Z]*[oOaPUeitTwQARDIXBl]$|^--(?:output-document|output-file|header|referer|user-agent|post-data|body-data)$/,
};

/** `--resolve host:port:address` and `--connect-to host:port:other:port`: what is asked for, and what is reached. */
const ROUTES = /^--(?:resolve|connect-to)$/;

function routeHosts(word: ShellWord): string[] {
  return word.value.split(/[:,](?![^[]*\])/).flatMap((part) => possibleHosts(`http://${part}`));
}

/** Undefined: the word is no address. */
function hostsOfWord(word: ShellWord, reading: Reading): readonly string[] | null | undefined {
  const text = word.value.replace(/^(?:--url=|-{1,2}[\w-]+=(?=[a-z][\w+.-]*:\/\/))/i, '');
  const host = urlHost(text) ?? otherHost(text, reading);
  if (host === undefined) return reading === 'any' && word.pieces[0]?.kind === 'dynamic' ? null : undefined;
  // A variable in the path changes nothing about the host. curl has braces and ranges of its own.
  if ((word.literal ? /[{}]|\[[^\]:]*\]/ : /[$`*?{}<]/).test(host)) return null;
  return possibleHosts(`http://${host}`);
}

/** What stands between `://` and the path. */
function urlHost(text: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:[/\\]{1,3}(?:[^/\\?#]*@)?([^/\\?#]+)/i.exec(text)?.[1];
}

function otherHost(text: string, reading: Reading): string | undefined {
  if (reading === 'urls' || text.startsWith('-')) return undefined;
  if (reading === 'scp')
    return /^(?:[\w.-]+@)([\w.-]+|\[[\da-f:]+\])(?::|$)|^([\w-]+(?:\.[\w-]+)+):/i
      .exec(text)
      ?.slice(1)
      .find((one) => one !== undefined);
  return /^(?:[^/?#@]*@)?(\[[\da-f:.]+\]|[\w.$%{},-]+)(?::\d+)?(?:[/?#]|$)/i.exec(text)?.[1];
}
