/** The command lists of `astro-research`. Names that its documents print are kept as printed; the others are our choice. */
import type { ShellLists } from '../../preset.js';

/** The 34 names of its SAFE_COMMANDS. */
// prettier-ignore
const SAFE = [
  'ls', 'cat', 'head', 'tail', 'find', 'grep', 'wc', 'echo', 'pwd', 'sort', 'uniq', 'cut', 'tr', 'awk', 'sed', 'jq',
  'diff', 'file', 'stat', 'du', 'df', 'env', 'printenv', 'which', 'basename', 'dirname', 'realpath', 'readlink',
  'xargs', 'tee', 'date', 'sleep', 'true', 'false',
];

/** Named by its documents: vim, sudo, ssh. The rest is like them: full-screen programs, other machines, the machine itself. */
// prettier-ignore
const DANGEROUS = [
  'vim', 'sudo', 'ssh',
  'vi', 'nvim', 'view', 'nano', 'emacs', 'less', 'more', 'top', 'htop', 'man', 'tmux', 'screen',
  'su', 'doas', 'passwd', 'visudo', 'chsh',
  'scp', 'sftp', 'telnet', 'rlogin', 'rsh', 'mosh',
  'shutdown', 'reboot', 'halt', 'poweroff', 'init',
  'mkfs', 'fdisk', 'parted', 'mount', 'umount', 'crontab', 'at',
];

/** Named by its documents: curl, wget, nc, socat. */
// prettier-ignore
const NETWORK = [
  'curl', 'wget', 'nc', 'socat',
  'ncat', 'netcat', 'aria2c', 'axel', 'httpie', 'http', 'https', 'ftp', 'tftp', 'lftp', 'rsync', 'nmap', 'ping',
  'traceroute', 'dig', 'nslookup', 'host', 'whois', 'lynx', 'w3m', 'links',
];

/** Five texts; its documents print none. */
const DANGEROUS_TEXTS = ['--no-preserve-root', 'rm -rf /*', 'rm -rf ~', 'of=/dev/', 'chmod -R 777 /'];

export const ASTRO_RESEARCH_LISTS: ShellLists = {
  safe: new Set(SAFE),
  dangerous: new Set(DANGEROUS),
  network: new Set(NETWORK),
  dangerousTexts: DANGEROUS_TEXTS,
  emptyLines: ['', 'bash', 'bash -c'],
};
