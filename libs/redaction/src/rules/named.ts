/** Secrets that are called so: options, variables, fields, headers, parts of URLs. */
import { isSecretName, NAME_KEYWORDS } from './names.js';
import { rule, WORD, type Candidate, type SecretRule } from './rule.js';
import { isMarker, isReference, isSecretWord, looksRandom, unquoted } from './values.js';

const NOT_A_VALUE =
  /^(?:[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+(?:\(.*)?|[A-Za-z_$][\w$]*\(.*|new|await|function|async|process|os|req|res|this|self|import|require|document|window)$/;

/** What stands unquoted in configuration; in code that is an expression. */
const BARE = /^[^/\\^|][^\\^|]*$/;

/** `--password x`, `--token=x`; `--secret id=…` names a secret that lies elsewhere. */
function isOptionSecret({ name, value }: Candidate): boolean {
  return isSecretName(name) && isSecretWord(value) && !/^(?:id|type|name|src|source|env)=/.test(value);
}

/** `PGPASSWORD=x`: short and simple values count too, since nothing else is written like this. */
function isVariableSecret({ name, value }: Candidate): boolean {
  return isSecretName(name) && isSecretWord(value);
}

/** `password: "x"` in code and configuration: what looks like a name, a type or a sentence is none. */
function isFieldSecret({ name, value }: Candidate): boolean {
  if (!isSecretName(name) || !isSecretWord(value) || NOT_A_VALUE.test(value)) return false;
  const inner = unquoted(value);
  if (inner.toLowerCase() === name.toLowerCase() || /\s/.test(inner) || inner.length < 4) return false;
  return inner === value ? isBareSecret(inner) : isQuotedSecret(name, inner);
}

function isBareSecret(value: string): boolean {
  return looksRandom(value) && BARE.test(value) && !/^[A-Z][A-Z0-9_]*$/.test(value);
}

/** A password may be a plain word where it is quoted; a key or a token is none. */
function isQuotedSecret(name: string, value: string): boolean {
  if (isSecretName(value) && !/\d/.test(value)) return false;
  if (looksRandom(value)) return true;
  return value.length >= 6 && /pass|pwd|secret/i.test(name) && !/^[a-z]+(?:[._-][a-z]+)+$/i.test(value);
}

/** Whatever stands in a place for a secret, unless it only refers to one. */
function isHeld({ value }: Candidate): boolean {
  const held = value.trim();
  return !isReference(held) && !isMarker(held) && !/^(?:<[^>]+>|\{\{.*\}\}|%\w+%?)$/.test(held);
}

const SCHEME = /^(?:bearer|basic|token|digest|apikey|negotiate|ntlm|hmac|key|dpop)?\W*$/i;

/** Behind a scheme stands a credential; without one only what looks like one is, since code names its variables like this too. */
function isCredential({ name, value }: Candidate): boolean {
  const held = value.trim();
  if (!isHeld({ name, value }) || SCHEME.test(held)) return false;
  return name === '' ? /^[\w+/=.~:-]{8,}$/.test(held) && looksRandom(held) : !/^\+\s/.test(held);
}

const URL_VALUE = String.raw`(?<v>[^&;\s'"#<>()\\` + '`' + String.raw`]+)`;

/** Rules for what stands beside a telling name. */
export const NAMED_RULES: readonly SecretRule[] = [
  rule({
    kind: 'secret-option',
    keywords: NAME_KEYWORDS,
    pattern: String.raw`(?:^|[\s'"=(\[,])--?(?<n>[A-Za-z][\w-]{2,60})(?:=|[ \t]+)` + WORD,
    before: 70,
    needs: '-',
    accept: isOptionSecret,
  }),
  rule({
    kind: 'secret-variable',
    keywords: NAME_KEYWORDS,
    pattern:
      String.raw`(?:^|[\s;&|('"{,` + '`' + String.raw`\\n])(?:-[eE]\s*|env:|-D)?(?<n>[A-Za-z_][\w.-]{1,80})=` + WORD,
    before: 90,
    flags: 'm',
    needs: '=',
    accept: ({ name, value }) =>
      isVariableSecret({ name, value }) &&
      (/^[A-Z][A-Z0-9_]*$/.test(name) || isFieldSecret({ name, value: `'${unquoted(value)}'` })),
  }),
  rule({
    kind: 'secret-field',
    keywords: NAME_KEYWORDS,
    pattern:
      String.raw`\\?["']?(?<![\w$.-])(?<n>[A-Za-z_][\w.-]{1,80})\\?["']?\]?\s{0,8}(?:=>|:=|[:=])\s{0,8}(?:[bruf]{1,2}(?=["']))?(?<v>\\"[^"\\\n]*\\"|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|` +
      '`[^`\\n]*`' +
      String.raw`|[^\s'",;(){}\[\]<>` +
      '`' +
      String.raw`\\]+)`,
    before: 90,
    needs: ':=',
    accept: ({ name, value }) =>
      isFieldSecret({ name, value: value.startsWith('\\"') ? value.replaceAll('\\"', '"') : value }),
  }),
  rule({
    kind: 'secret-field',
    keywords: ['pass', 'pwd', 'secret', 'token', 'key'],
    pattern: String.raw`^[ \t]*(?:-[ \t]+)?["']?(?<n>[\w.-]{3,60})["']?[ \t]*[:=][ \t]+(?<v>[^\s'"#{}\[\](),;&|*!][^\s'",;(){}\[\]]{5,})[ \t]*(?:#.*)?$`,
    before: 90,
    flags: 'm',
    needs: ':=',
    accept: ({ name, value }) =>
      /pass(?:word|wd|phrase)?$|pwd$|secret$/i.test(name) &&
      isSecretWord(value) &&
      !NOT_A_VALUE.test(value) &&
      !/^[A-Za-z]+(?:[A-Z][a-z]+)+$/.test(value),
  }),
  rule({
    kind: 'secret-setting',
    keywords: ['config', ' set '],
    pattern:
      String.raw`\b(?:config(?:ure)?|set|secrets?|env|var(?:iable)?s?)\s+(?:set\s+|add\s+|--\S+\s+)*(?<n>[\w.:/_-]{3,128})\s+` +
      WORD,
    accept: isVariableSecret,
  }),
  rule({
    kind: 'authorization-header',
    keywords: ['authorization'],
    pattern:
      String.raw`\b(?:proxy-)?authorization\\?["'\]]{0,2}\s{0,3}[:=,]\s{0,3}(?:[brf](?=["']))?\\?["'` +
      '`' +
      String.raw`]?\s{0,3}(?:(?<n>bearer|basic|token|digest|apikey|api-key|negotiate|ntlm|hmac|aws4-hmac-sha256|key|dpop|splunk|snowflake)\s+)?(?<v>[^"'` +
      '`' +
      String.raw`\r\n\\]{4,2000})`,
    flags: 'i',
    after: 2_200,
    accept: isCredential,
  }),
  rule({
    kind: 'bearer-token',
    keywords: ['bearer'],
    pattern: String.raw`\bbearer(?:\s+|%20)(?<v>[A-Za-z0-9_\-.~+/]{12,}=*)`,
    flags: 'i',
    accept: ({ value }) => looksRandom(value) || /[A-Z].*[a-z].*[A-Z]/.test(value),
  }),
  rule({
    kind: 'basic-credentials',
    keywords: ['basic '],
    pattern: String.raw`\bbasic\s+(?<v>[A-Za-z0-9+/]{8,}={0,2})(?:[^A-Za-z0-9+/=]|$)`,
    flags: 'i',
    accept: ({ value }) => value.endsWith('=') || (/\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value)),
  }),
  rule({
    kind: 'cookie',
    keywords: ['cookie'],
    pattern: String.raw`\b(?:set-)?cookie\\?["']?\s{0,2}:\s{0,2}\\?["']?(?<v>[^"'\r\n\\=]{1,100}=[^"'\r\n\\]{3,2000})`,
    flags: 'i',
    after: 2_200,
    accept: isHeld,
  }),
  rule({
    kind: 'cookie',
    keywords: ['curl', 'wget', 'http'],
    pattern: String.raw`(?:^|\s)(?:-b|--cookie)[\s=]*['"]?(?<v>[\w.-]{1,100}=[^\s'"]{3,2000})`,
    accept: isHeld,
  }),
  rule({
    kind: 'secret-header',
    keywords: ['key', 'token', 'secret', 'auth', 'password', 'session'],
    pattern: String.raw`(?<![\w-])(?<n>x-[a-z0-9-]{0,60}|api-?key|private-token|job-token|deploy-token|ocp-apim-subscription-key|dd-api-key|dd-application-key|circle-token|fastly-key)\\?["']?\s{0,2}:\s{0,2}\\?["']?(?<v>[^\s"'\\,;]{6,500})`,
    flags: 'i',
    needs: ':',
    accept: ({ name, value }) =>
      /key|token|secret|auth|password|session/i.test(name) &&
      isSecretWord(value) &&
      !NOT_A_VALUE.test(value) &&
      !/^(?:true|false|required|optional)/i.test(value),
  }),
  rule({
    kind: 'url-password',
    keywords: ['://'],
    pattern:
      String.raw`\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#'"<>@:` +
      '`' +
      String.raw`]{0,200}:(?<v>[^\s/?#'"<>` +
      '`' +
      String.raw`]{1,300})@`,
    accept: isHeld,
  }),
  rule({
    kind: 'url-password',
    keywords: ['://'],
    // A password with a slash, a question mark or a hash in it, written without escapes; the host must look like one.
    pattern: String.raw`\b(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|ldaps?|ftps?|sftp|smtps?|mssql|sqlserver|oracle|clickhouse|jdbc:[a-z]+)://[^\s/?#'"<>@:]{0,200}:(?<v>[^\s'"<>@]{1,300})@[\w.-]+(?::\d+)?(?:[/?\s'"]|$)`,
    accept: isHeld,
  }),
  rule({
    kind: 'url-token',
    keywords: ['://'],
    pattern: String.raw`\bhttps?://(?<v>[A-Za-z0-9_.~%-]{16,300})@[\w.-]+`,
    accept: ({ value }) => looksRandom(value),
  }),
  rule({
    kind: 'url-parameter',
    keywords: [
      'token=',
      'key=',
      'sig=',
      'signature=',
      'secret=',
      'password=',
      'passwd=',
      'pwd=',
      'pass=',
      'code=',
      'auth=',
      'sid=',
      'jwt=',
      'credential=',
      'apikey=',
      'assertion=',
    ],
    pattern:
      String.raw`(?:[?&;]|^|\s['"]?|["'=])(?<n>(?:[A-Za-z0-9_-]{0,40}[_-])?(?:token|key|sig|signature|secret|password|passwd|pwd|pass|code|auth|sid|jwt|credential|apikey|assertion)|access_?token|id_?token|refresh_?token|client_?secret|api_?key)=` +
      URL_VALUE,
    flags: 'i',
    before: 80,
    after: 2_200,
    accept: isParameterSecret,
  }),
];

const STRONG_PARAMETER = /token|secret|passw|pwd|^pass$|api_?key|apikey|sig(?:nature)?$|jwt|credential|assertion/i;

function isParameterSecret({ name, value }: Candidate): boolean {
  if (!isSecretWord(value) || /page|next|continuation|cursor|sync|csrf/i.test(name)) return false;
  if (NOT_A_VALUE.test(value)) return false;
  return STRONG_PARAMETER.test(name)
    ? value.length >= 4 && /[^A-Za-z_.-]|[A-Z].*[a-z]|[a-z].*[A-Z]|^.{16,}$/.test(value)
    : value.length >= 12 && looksRandom(value);
}
