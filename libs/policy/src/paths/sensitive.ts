/** Paths that are asked about in every mode: secrets, and files that decide what programs and agents do. */
import { compileSegment, compileShellSegment, segmentsMeet, type SegmentGlob } from '../rules/segment-glob.js';
import { globStart } from '../shell/word-paths.js';
import { foldedPath, foldedSegments } from './folded-segments.js';
import { isInside } from './normalise.js';

/** Why a path is sensitive. `secret`: reading it leaks; `control`: writing it changes what runs or what is allowed. */
export type Sensitivity = 'secret' | 'control';

const SECRET_FOLDERS = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.gcloud',
  '.password-store',
  'keychains',
  'login.keychain-db',
  '.mozilla',
  '.thunderbird',
  'google-chrome',
  'chromium',
  'bravesoftware',
]);
// prettier-ignore
const SECRET_NAMES = new Set([
  '.netrc', '_netrc', '.pgpass', '.htpasswd', '.git-credentials', 'credentials.json', 'service-account.json',
  'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '.vault-token', 'shadow', 'gshadow', 'sudoers', '.env', '.envrc',
  '.pypirc', 'secrets.yml', 'secrets.yaml', 'master.key', 'kubeconfig', '.dockerconfigjson', '.my.cnf', '.s3cfg', '.boto',
  '.bash_history', '.zsh_history', '.python_history', '.psql_history', '.mysql_history', '.node_repl_history', 'environ',
  'terraform.tfstate', 'terraform.tfstate.backup', 'logins.json', 'key4.db', 'login data', 'application_default_credentials.json', 'shadow-', 'gshadow-', 'master.passwd',
]);
const ENV = '.env.';
// prettier-ignore
const SECRET_ENDINGS = new Set(['tfvars', 'pem', 'key', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ovpn', 'ppk', 'asc', 'gpg']);
const HARMLESS_ENV = /^\.env\.(?:example|sample|template|dist|defaults?)$/;

// prettier-ignore
const CONTROL_FOLDERS = new Set([
  '.git', '.claude', '.codex', '.gemini', '.cursor', '.vscode', '.idea', '.husky', '.github', '.gitlab', '.circleci',
  '.devcontainer', '.cargo', '.hg', '.yarn', '.countersign', '.continue', '.windsurf', '.cline', '.roo', '.opencode',
]);
// prettier-ignore
const CONTROL_NAMES = new Set([
  '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv', '.zprofile', '.zlogin',
  '.zlogout', '.kshrc', '.inputrc', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmrc', '.mcp.json', '.claude.json',
  '.gitconfig', '.gitmodules', '.gitattributes', '.gitlab-ci.yml', '.ripgreprc', '.editrc', '.vimrc', '.tmux.conf',
  '.pnp.cjs', '.pnpmfile.cjs', '.gdbinit', '.lldbinit', 'opencode.json', 'agents.md', 'claude.md', 'gemini.md',
  '.condarc', 'pip.conf', 'authorized_keys', 'crontab', '.pre-commit-config.yaml', 'lefthook.yml',
  // A folder with a file of that name is a git repository, whose settings run programs.
  'head', 'commondir',
]);
/** Folders of either kind whose name does not begin with a dot. */
const DOTLESS_FOLDER = new RegExp(
  `/(?:${[...SECRET_FOLDERS, ...CONTROL_FOLDERS]
    .filter((name) => !name.startsWith('.'))
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?:/|$)`,
);
const SYSTEM_FOLDERS = ['/etc', '/boot', '/proc', '/sys', '/dev'];
const HARMLESS_DEVICES = new Set([
  '/dev/null',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/tty',
  '/dev/zero',
  '/dev/stdin',
  '/dev/random',
  '/dev/urandom',
]);

/** True for devices that neither keep nor reveal anything. */
export function isHarmlessDevice(path: string): boolean {
  return HARMLESS_DEVICES.has(path) || path.startsWith('/dev/fd/');
}

/**
 * Why the canonical path must be asked about for this access, or null. Names above a root do not count: a project that lies
 * below a folder called `.vscode` is an ordinary project. Compared without case, since some file systems are.
 */
export function sensitivityOf(path: string, access: 'read' | 'write', roots: readonly string[]): Sensitivity | null {
  const folded = foldedPath(path);
  const root = rootOf(path, roots);
  // The root itself has no name that counts.
  const name = path === root ? '' : folded.slice(folded.lastIndexOf('/') + 1);
  const isSample = HARMLESS_ENV.test(name);
  if (!isSample && (hasSecretName(name) || hasFolder(SECRET_FOLDERS, path, root))) return 'secret';
  if (access === 'read') return null;
  return CONTROL_NAMES.has(name) || hasFolder(CONTROL_FOLDERS, path, root) || isOfSystem(path) ? 'control' : null;
}

function isOfSystem(path: string): boolean {
  // A folder whose name ends in a blank makes one listed name read as two, the second of which may lead anywhere.
  if (/\s\//.test(path)) return true;
  return SYSTEM_FOLDERS.some((folder) => isInside(path, folder)) && !isHarmlessDevice(path);
}

/** One segment that stands for itself. */
function isSecret(segment: string): boolean {
  if (HARMLESS_ENV.test(segment)) return false;
  return hasSecretName(segment) || SECRET_FOLDERS.has(segment);
}

function hasSecretName(name: string): boolean {
  return SECRET_NAMES.has(name) || hasSecretForm(name);
}

/** `.env.` with more behind it, or a name with an ending that keys have. */
function hasSecretForm(name: string): boolean {
  if (name.length > ENV.length && name.startsWith(ENV)) return true;
  const dot = name.lastIndexOf('.');
  return dot > 0 && SECRET_ENDINGS.has(name.slice(dot + 1));
}

/** Is one of the path's segments below the root such a folder? Few paths have a segment that could be, so most are not taken apart. */
function hasFolder(names: ReadonlySet<string>, path: string, root: string): boolean {
  const folded = foldedPath(path);
  if (!folded.includes('/.') && !DOTLESS_FOLDER.test(folded)) return false;
  const segments = foldedSegments(path);
  for (let at = depthOf(root); at < segments.length; at += 1) if (names.has(segments[at] ?? '')) return true;
  return false;
}

/** Shortest text in a wildcard that can mean a secret, an ending such as `.json` not counted. */
const MIN_STEM = 2;

/** True when a wildcard over names, as a shell or `find -name` takes it, means files that hold secrets. `*` alone means none. */
export function meansSecret(wildcard: string): boolean {
  for (const segment of plainClasses(wildcard).toLowerCase().split('/')) {
    if (/[*?[]/.test(segment) ? segmentMeansSecret(segment) : isSecret(segment)) return true;
  }
  return false;
}

/** `[.]env` is `.env` to some shells. */
function plainClasses(wildcard: string): string {
  return wildcard.replace(/\[([^\]!^\\])\]/g, '$1');
}

const SECRETS: readonly SegmentGlob[] = [...SECRET_NAMES, ...SECRET_FOLDERS].map(compileSegment);

/**
 * True when a wildcard means files whose writing changes what runs or what is allowed: `.git*`, `*` with `.git` below. What stands
 * before its first wildcard is left out. `*` alone means none.
 */
export function meansControl(wildcard: string): boolean {
  return plainClasses(wildcard.slice(globStart(wildcard)))
    .toLowerCase()
    .split('/')
    .some((segment) => CONTROLS.has(segment) || (hasStem(segment) && meets(CONTROL, segment)));
}

const CONTROLS: ReadonlySet<string> = new Set([...CONTROL_NAMES, ...CONTROL_FOLDERS]);
const CONTROL: readonly SegmentGlob[] = [...CONTROLS].map(compileSegment);

/** `[a-z]`, `[!.]`. One that leaves open one or two characters tells what is meant nearly as well as the character itself. */
const CLASS = /\[[!^]?[^\]]+\]/g;
const MOST_TELLING = '[ab]'.length;

/** Enough of a name to tell what is meant; an ending such as `.json` not counted. */
function hasStem(segment: string): boolean {
  const named = segment
    .replace(/\*\.\w+$/, '')
    .replace(CLASS, (all: string) => (all.length <= MOST_TELLING ? 'x' : ''));
  return segment.startsWith('.') || named.replace(/[*?[\]]/g, '').length >= MIN_STEM;
}

function meets(names: readonly SegmentGlob[], segment: string): boolean {
  const glob = compileShellSegment(segment);
  return names.some((name) => segmentsMeet(name, glob));
}

function segmentMeansSecret(segment: string): boolean {
  const plain = ['', 'x', '.'].map((filling) => segment.replace(/\*+/, filling).replace(/[*?]+/g, ''));
  if (plain.some((name) => isSecret(name))) return true;
  return hasStem(segment) && meets(SECRETS, segment);
}

/** The longest root that the path lies in; empty when there is none. */
function rootOf(path: string, roots: readonly string[]): string {
  let longest = '';
  for (const root of roots) {
    if (root !== '/' && root.length > longest.length && isInside(path, root)) longest = root;
  }
  return longest;
}

/** How many segments a path below this root has from the root. */
function depthOf(root: string): number {
  return root === '' ? 0 : root.split('/').length;
}
