/** Names that say: what stands here is a secret. */

const WHOLE = new Set([
  ...[
    'password',
    'passwd',
    'passphrase',
    'passcode',
    'pwd',
    'pass',
    'secret',
    'secrets',
    'token',
    'apikey',
    'accesskey',
  ],
  ...[
    'secretkey',
    'privatekey',
    'authorization',
    'proxyauthorization',
    'credential',
    'credentials',
    'cookie',
    'setcookie',
  ],
  ...['xapikey', 'xauthtoken', 'bearer', 'jwt', 'otp', 'sessionkey', 'encryptionkey'],
  ...['signingkey', 'masterkey', 'accountkey', 'sharedaccesskey', 'webhooksecret', 'authkey'],
]);
const ENDS =
  /(?:password|passwd|passphrase|passcode|secret|secretkey|apikey|accesskey|privatekey|signingkey|encryptionkey|masterkey|authkey|accesstoken|authtoken|refreshtoken|idtoken|sessiontoken|bearertoken|apitoken|bottoken|userpass|accountkey|clientsecret|securitytoken|sharedkey|licensekey|deploykey)$/;
/** Endings that only count after a word of their own: `DB_PASS`, `githubToken`, `X-Auth-Key`. */
const ENDS_APART = /(?:^|[_.\-\s]|[a-z0-9](?=[A-Z]))(?:pass|pwd|pw|token|key|auth|cookie|credentials?|jwt|pat)$/i;
/** What a key or a token is of, when it is nothing secret. */
const HARMLESS_APART =
  /(?:public|primary|foreign|partition|sort|cache|group|hash|row|object|index|idempotency|next|page|continuation|start|end|stop|max|min|eos|bos|pad|unk|csrf|sequence|natural|hot|config|query|storage|translation|i18n|map|lookup|react|list|node|cli|shortcut|arrow|issue|project|header|param|field|column|unique|compound|s3|bucket)[_.\-\s]?(?:token|key|pass)s?$/i;

const MAX_NAME = 128;

/** True for the name of an option, variable, header or field whose value is a secret. */
export function isSecretName(name: string): boolean {
  if (name === '' || name.length > MAX_NAME) return false;
  const plain = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (WHOLE.has(plain)) return true;
  if (HARMLESS_APART.test(name)) return false;
  return ENDS.test(plain) || (ENDS_APART.test(name) && isCompound(name));
}

/** `auth` alone is in the table; `monkey` and `compass` are no compounds. */
function isCompound(name: string): boolean {
  return /[_.\-\s]/.test(name) || /[a-z0-9][A-Z]/.test(name);
}

/** One of these stands in every secret name, lower case. */
export const NAME_KEYWORDS: readonly string[] = [
  ...['pass', 'pwd', 'secret', 'token', 'key', 'auth', 'credential', 'cookie', 'bearer', 'jwt', 'otp', 'pat', 'pw'],
];
