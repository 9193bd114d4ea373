/** Where the words and the input of a program name commands that it runs. Each match's first group is one. */

/** Among the words, which are joined by newlines. */
export const IN_WORDS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    tar: /^(?:--checkpoint-action=exec=|--use-compress-program(?:=|\n)|--to-command(?:=|\n)|--info-script(?:=|\n)|-I\n?|-F\n)(.*)$/gm,
    sort: /^--comp[a-z-]*(?:=|\n)(.*)$/gm,
    rg: /^--(?:pre|hostname-bin)(?:=|\n)(.*)$/gm,
    zip: /^(?:-TT|--unzip-command)\n(.*)$/gm,
    ssh: /(?:^|-o)\n?(?:ProxyCommand|LocalCommand|PermitLocalCommand)[= ]?;?(.*)$/gim,
    scp: /(?:ProxyCommand[= ]?;?|^-S\n?)(.*)$/gim,
    sftp: /(?:ProxyCommand[= ]?;?|^-S\n?)(.*)$/gim,
    rsync: /^(?:-e|--rsh|--rsync-path)(?:=|\n)(.*)$/gm,
    vim: /^(?:-c\n?|--cmd\n|\+):?!(.*)$/gm,
    vi: /^(?:-c\n?|--cmd\n|\+):?!(.*)$/gm,
    nvim: /^(?:-c\n?|--cmd\n|\+):?!(.*)$/gm,
    ex: /^(?:-c\n?|--cmd\n|\+):?!(.*)$/gm,
    less: /^\+!(.*)$/gm,
    script: /^(?:-[a-zA-Z]*c|--command)(?:=|\n)(.*)$/gm,
    flock: /^(?:-c|--command)(?:=|\n)(.*)$/gm,
    make: /^(?:SHELL=|--eval=\$\(shell )(.*)$/gm,
    man: /^(?:-[PH]\n?|--(?:pager|html)(?:=|\n))(.*)$/gm,
    socat: /^(?:exec|system):(.*)$/gim,
    sed: /(?:^|[\n;{}$!\d/])\s*e[ \t]+(.*)$|s([^\w\s\\])(?:\\.|(?!\2).)*\2((?:\\.|(?!\2).)*)\2[gpiIm\d]*e/gm,
    sqlite3: /^\.(?:shell|system) (.*)$/gm,
    psql: /\\!\s*(.*)$/gm,
    mysql: /(?:\\!|\bsystem)\s*(.*)$/gm,
    gdb: /^(?:shell|!)\s*(.*)$/gm,
    complete: /^-C\n(.*)$/gm,
    compgen: /^-C\n(.*)$/gm,
    git: /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|sequence\.editor|gpg\.program|pager\.[^\n]+|diff\.external|[^\n]+\.(?:command|cmd|textconv|driver))\n!?(.*)$/gim,
    watch: /^((?!-).* .*)$/gm,
  }),
);

/** In the text that a program is fed. */
export const IN_INPUT: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    make: /^\t[@+-]*(.*)$|\$\(shell ([^\n]*)\)/gm,
    ed: /^!(.*)$/gm,
    ex: /^:?!(.*)$/gm,
    gdb: /^(?:shell|!)\s*(.*)$/gm,
    psql: /\\!\s*(.*)$/gm,
    mysql: /(?:\\!|^system)\s*(.*)$/gm,
    sqlite3: /^\.(?:shell|system) (.*)$/gm,
    crontab: /^(?:(?:\S+[ \t]+){5}|@\w+[ \t]+)(.*)$/gm,
    at: /^(.*)$/gm,
    batch: /^(.*)$/gm,
  }),
);

/** Variables whose value is a command. */
const HELPER =
  /(?:PAGER|EDITOR|VISUAL|LESSOPEN|LESSCLOSE|SSH_COMMAND|PROMPT_COMMAND|ASKPASS|EXTERNAL_DIFF|BROWSER|PROXY_COMMAND|GIT_SSH|GIT_CONFIG_VALUE_\d+)$/;

/** `PAGER='sh -c x'`, `LESSOPEN='|x %s'`, `GIT_CONFIG_PARAMETERS="'core.pager=x'"`: the commands that a variable names. */
export function variableCommands(name: string, value: string): string[] {
  if (name === 'GIT_CONFIG_PARAMETERS') return [...value.matchAll(/=!?([^']*)'/g)].map((match) => match[1] ?? '');
  return HELPER.test(name) ? [value.replace(/^(?:\|+-?|!)/, '').replace(/%s/g, '')] : [];
}
