/** Secrets that a program takes at a known place of its command line. */
import { rule, WORD, type SecretRule } from './rule.js';
import { isMarker, isReference, isSecretWord, looksLikePath } from './values.js';

/** The program as a word of its own, whatever stands before it on the line. */
const program = (names: string): string =>
  String.raw`(?:^|[\s;&|(){}'"$/` + '`' + String.raw`])(?:${names})(?:\.exe)?\s`;
/** The rest of the same command, as little of it as possible. */
const REST = String.raw`(?:[^\n;|&]{0,400}?\s)?`;

const secretWord = ({ value }: { value: string }): boolean => isSecretWord(value);

interface Place {
  readonly kind: string;
  /** The programs, `|` between them; the keywords are the same without what makes them an expression. */
  readonly programs: string;
  /** What stands before the word. */
  readonly option: string;
  readonly keywords?: readonly string[];
}

const PLACES: readonly Place[] = [
  {
    kind: 'password',
    programs:
      'mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlcheck|mysqlbinlog|mysqlslap|mysqlpump|mariadb|mariadb-dump|mariadb-admin|mydumper|myloader|mycli|xtrabackup',
    option: '-p',
    keywords: ['mysql', 'mariadb', 'mydumper', 'myloader', 'mycli', 'xtrabackup'],
  },
  { kind: 'password', programs: 'sshpass', option: String.raw`-p\s*` },
  {
    kind: 'password',
    programs:
      'mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|cqlsh|influx|arangosh|ravendb|couchbase-cli|cbq|nodetool|isql|osql|tsql|snowsql|twine|hg|svn|rdesktop|oc|cf|az|flyway|liquibase|vncviewer|psftp|plink|pscp|winexe|crackmapexec|netexec|nxc|kinit|proxychains|mc|rclone|onedrive|nmcli|mtproto',
    option: String.raw`-(?:p|P|pw)[\s=]+`,
    keywords: [
      'mongo',
      'cqlsh',
      'influx',
      'couchbase',
      'sql',
      'twine',
      'rdesktop',
      'oc ',
      'cf ',
      'az ',
      'flyway',
      'plink',
      'pscp',
      'psftp',
      'crackmapexec',
      'netexec',
      'nxc',
      'winexe',
      'nodetool',
    ],
  },
  {
    kind: 'password',
    programs: String.raw`(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|docker-compose|npm|heroku|ibmcloud|kubectl|argocd|vault|consul|gcloud|doctl)(?:\s+[\w-]+){0,2}\s+login|(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)\s+login`,
    option: String.raw`-(?:p|t)[\s=]*`,
    keywords: ['login'],
  },
  {
    kind: 'password',
    programs: 'redis-cli|keydb-cli|valkey-cli',
    option: String.raw`(?:-a|--pass)[\s=]+`,
    keywords: ['redis-cli', 'keydb-cli', 'valkey-cli'],
  },
  {
    kind: 'password',
    programs: 'sqlcmd|bcp|zip|unzip|zipcloak|mosquitto_pub|mosquitto_sub|ipmitool|ipmiutil|bcpx',
    option: String.raw`-P\s*`,
    keywords: ['sqlcmd', 'bcp', 'zip', 'mosquitto', 'ipmi'],
  },
  { kind: 'password', programs: '7z|7za|7zr|rar|unrar|7zz', option: '-h?p', keywords: ['7z', 'rar'] },
  {
    kind: 'password',
    programs: 'ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldappasswd|ldapcompare',
    option: String.raw`-[wsa]\s*`,
    keywords: ['ldap'],
  },
  { kind: 'password', programs: 'openssl', option: String.raw`(?:-pass(?:in|out)?\s+['"]?pass:|-k\s+|-K\s+)` },
  {
    kind: 'password',
    programs: 'keytool|jarsigner|apksigner',
    option: String.raw`-(?:storepass|keypass|srcstorepass|deststorepass|ks-pass\s+pass:)\s*`,
    keywords: ['keytool', 'jarsigner', 'apksigner'],
  },
  { kind: 'password', programs: 'xfreerdp|wfreerdp|mstsc|sdl-freerdp', option: '/p:', keywords: ['freerdp', 'mstsc'] },
  {
    kind: 'password',
    programs: 'useradd|usermod',
    option: String.raw`(?:-p|--password)[\s=]+`,
    keywords: ['useradd', 'usermod'],
  },
  {
    kind: 'password',
    programs: 'snmpwalk|snmpget|snmpset|snmpbulkwalk',
    option: String.raw`-[cAX]\s*`,
    keywords: ['snmp'],
  },
  { kind: 'password', programs: 'htpasswd', option: String.raw`-\w*b\w*\s+(?:-\w+\s+)*(?:\S+\s+){1,2}` },
  { kind: 'password', programs: 'wpa_passphrase', option: String.raw`\S+\s+` },
  {
    kind: 'password',
    programs: String.raw`net\s+user`,
    option: String.raw`(?<!\S)[\w.-]+\s+(?=[^\s/*])`,
    keywords: ['net user'],
  },
  {
    kind: 'token',
    programs: String.raw`vault\s+login`,
    option: String.raw`(?=[^\s-]+(?:\s|$))(?![a-z]+=)`,
    keywords: ['vault login'],
  },
  { kind: 'token', programs: String.raw`doctl\s+auth\s+init`, option: String.raw`-t\s+`, keywords: ['doctl'] },
  {
    kind: 'token',
    programs: String.raw`(?:gh|glab)\s+(?:secret|variable)\s+set`,
    option: String.raw`(?:-b|--body|-v|--value)[\s=]*`,
    keywords: ['secret set', 'variable set'],
  },
  { kind: 'token', programs: 'curl', option: String.raw`--oauth2-bearer[\s=]+` },
  {
    kind: 'password',
    programs: 'sqlplus|rman|expdp|impdp|sqlldr|exp|imp',
    option: String.raw`(?:-\w+\s+)*['"]?[\w.$#]+/`,
    keywords: ['sqlplus', 'rman', 'expdp', 'impdp', 'sqlldr'],
  },
  {
    kind: 'password',
    programs: 'lftp|ftp|ncftp|ncftpget|ncftpput',
    option: String.raw`-[up]\s+(?:[\w.@-]+,)?`,
    keywords: ['ftp'],
  },
];

function placed({ kind, programs, option, keywords = [programs] }: Place): SecretRule {
  return rule({ kind, keywords, pattern: program(programs) + REST + `(?:${option})` + WORD, accept: secretWord });
}

/** `user:password` as one word: only what follows the colon is the secret. */
const USER_PASSWORD = String.raw`['"]?[^\s:'"]{0,128}:(?<v>[^\s'"]+|(?<=['"][^'"\n]{0,200})[^'"\n]+)`;

/** Rules for command lines. */
export const COMMAND_RULES: readonly SecretRule[] = [
  ...PLACES.map(placed),
  rule({
    kind: 'password',
    keywords: ['curl', 'wget', 'http', 'xh', 'ab '],
    pattern:
      program('curl|wget|https?|xh|xhs|ab|wrk|hey|aria2c') +
      REST +
      String.raw`(?:-[A-Za-z]*[uUaA]|--user|--proxy-user|--auth)[\s=]*` +
      USER_PASSWORD,
    accept: ({ value }) => !isReference(value) && !isMarker(value),
  }),
  rule({
    kind: 'password',
    keywords: ['smbclient', 'rpcclient', 'smbmap', 'net ', 'mount', 'wmic', 'smbget', 'psexec'],
    pattern:
      program(String.raw`smbclient|rpcclient|smbget|smbcacls|net\s+\w+|wmic|winexe|pth-\w+`) +
      REST +
      String.raw`(?:-U|--user)[\s=]*['"]?[^\s%'"]{1,128}%(?<v>[^\s'"]+)`,
    accept: secretWord,
  }),
  rule({
    kind: 'password',
    keywords: ['sudo -', 'chpasswd', '--stdin', 'password-stdin', 'with-token', 'passwd'],
    pattern:
      String.raw`(?:echo|printf)\s+(?:-\w+\s+|'%s(?:\\n)?'\s+|"%s(?:\\n)?"\s+)*` +
      WORD +
      String.raw`\s*\|\s*(?:sudo\s+-\w*S|(?:sudo\s+)?chpasswd|[^|\n]{0,200}(?:--password-stdin|--with-token|\bpasswd\b))`,
    before: 400,
    accept: ({ value }) => isSecretWord(value) && !/\s/.test(value),
  }),
  rule({
    kind: 'password',
    keywords: ['<<<'],
    pattern: String.raw`(?:password-stdin|with-token|sudo\s+-\w*S|chpasswd|--stdin)[^\n]{0,80}<<<\s*` + WORD,
    before: 200,
    accept: secretWord,
  }),
  rule({
    kind: 'password',
    keywords: ['identified', 'password'],
    pattern: String.raw`(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)|(?:with\s+)?(?:encrypted\s+)?password|set\s+password(?:\s+for\s+\S+)?\s*=)\s+(?:password\s*\(\s*)?(?<v>'[^'\n]+'|"[^"\n]+")`,
    flags: 'i',
    accept: ({ value }) => !isReference(value) && !looksLikePath(value) && !isMarker(value) && !/\s/.test(value),
  }),
];
