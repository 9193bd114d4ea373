/** Package managers: what they know locally. Installing, running scripts and asking a registry are more than reading. */
import { line, type ProgramFamily } from './program.js';

const NPM =
  /^(?:(?:ls|list|ll|la|root|prefix|bin|explain|why|help|fund --no-fund)(?: (?:[\w@./-]+|--?[\w=.-]+))*|config get (?!.*(?:auth|token|pass|cert|key))[\w:@./-]+|pkg get(?: [\w.[\]-]+)*|run|version)$/;

export const PACKAGE_PROGRAMS: ProgramFamily = {
  npm: { reads: line(NPM) },
  pnpm: { reads: line(/^(?:ls|list|why|root|bin)(?: (?:[\w@./-]+|--?[\w=.-]+))*$/) },
  yarn: { reads: line(/^(?:list|why|bin|versions)(?: (?:[\w@./-]+|--?[\w=.-]+))*$/) },
  pip: {
    reads: line(
      /^(?:list|freeze|show|check|help|debug)(?: (?!-(?:-outdated|o|-uptodate|u|-index|i|-log|-find))[\w.=-]+)*$/,
    ),
  },
  pip3: {
    reads: line(
      /^(?:list|freeze|show|check|help|debug)(?: (?!-(?:-outdated|o|-uptodate|u|-index|i|-log|-find))[\w.=-]+)*$/,
    ),
  },
  gem: {
    reads: line(
      /^(?:list|environment|which|contents|specification)(?: (?!-(?:-remote|r|-both|b|-source|s))[\w.=-]+)*$/,
    ),
  },
  cargo: { reads: line(/^(?:--list|help(?: [\w-]+)?|locate-project|pkgid|read-manifest)$/) },
  rustup: { reads: line(/^(?:show(?: [\w-]+)*|which [\w-]+|(?:toolchain|target|component) list(?: --installed)?)$/) },
  go: { reads: line(/^(?:version|env(?: [A-Z0-9_]+)*|help(?: [\w.-]+)*|doc [\w./]+|tool)$/) },
  dpkg: {
    reads: line(
      /^(?:-[lLsS]|--list|--listfiles|--status|--search|--get-selections|--print-architecture)(?: [\w.+:*/-]+)*$/,
    ),
  },
  'dpkg-query': { reads: line(/^(?:-[lLsSW]|--list|--listfiles|--status|--search|--show)(?: [\w.+:*/${}=\\-]+)*$/) },
  'apt-cache': { reads: line(/^(?:policy|show|showpkg|search|depends|rdepends|madison)(?: [\w.+:*-]+)*$/) },
  apt: { reads: line(/^list(?: --(?:installed|upgradable|all-versions))?(?: [\w.+:*-]+)*$/) },
  rpm: {
    reads: line(/^(?:-q[a-zA-Z]*|--query)(?: (?!--(?:pipe|eval|define|root|rcfile|load|macros))[\w.+:*/=%{}-]+)*$/),
  },
  brew: { reads: line(/^(?:list|ls|--prefix|--version|--cellar|leaves|deps|uses|config|info)(?: [\w@.+/-]+)*$/) },
  conda: { reads: line(/^(?:list|info|env list)(?: [\w.=-]+)*$/) },
};
