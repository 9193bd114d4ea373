/** What git runs, hands out, or touches beyond its repository is not meant by `Bash(git *)`. */
import { describe, expect, it } from '@jest/globals';
import { bash, judge, policyOf } from './judge.fixture.js';

const broad = policyOf({ allow: ['Bash(git *)'] });
const effectOf = (command: string): string => judge(bash(command), broad).effect;

const SETTINGS =
  'core.pager core.editor core.hooksPath core.fsmonitor core.sshCommand core.askPass core.gitProxy core.worktree include.path includeIf.x.path ' +
  'alias.p alias.push filter.x.clean filter.x.smudge filter.x.process diff.external diff.x.command diff.x.textconv merge.x.driver mergetool.x.cmd ' +
  'difftool.x.path credential.helper credential.https://x.helper gpg.program gpg.ssh.program gpg.ssh.defaultKeyCommand uploadpack.packObjectsHook ' +
  'protocol.ext.allow protocol.allow remote.o.uploadpack remote.o.receivepack remote.o.vcs url.ext::sh.insteadOf init.templateDir submodule.x.update ' +
  'trailer.x.cmd tar.x.command pager.log interactive.diffFilter sequence.editor core.alternateRefsCommand browser.x.cmd man.x.path instaweb.httpd ' +
  'imap.tunnel sendemail.toCmd sendemail.smtpServer safe.directory';

describe('a broad allow of git', () => {
  it.each(SETTINGS.split(' '))('does not let %s be set', (key) => {
    const value = key.startsWith('alias') ? "'!x'" : 'x';
    for (const form of [
      `git config ${key} ${value}`,
      `git config ${key.toUpperCase()} x`,
      `git config --global ${key} x`,
      `git config --system --add ${key} x`,
      `git config --file .git/config ${key} x`,
      `git config set ${key} x`,
      `git config ${key} x --local`,
      `git -c ${key}=${value} status`,
      `git --config-env=${key}=X status`,
      `git clone -c ${key}=${value} https://a.example/b`,
      `git clone --config=${key}=x https://a.example/b`,
      `git clone --conf ${key}=x https://a.example/b`,
    ])
      expect([form, effectOf(form)]).toEqual([form, 'ask']);
    expect(effectOf(`git config --get ${key}`)).toBe('allow');
    expect(effectOf(`git config --unset ${key}`)).toBe('allow');
  });

  // prettier-ignore
  it.each([
    'git --exec-path=d status', 'git --config-env core.pager=X log', 'git -p log', 'git --paginate log', 'git -c "$x" log', 'git config $k $v', 'git config -e',
    'git config edit', 'git config --rename-section a alias', 'git -c core.hooksPath=ls commit -m x', 'git merge-index prog -a', 'git merge -s name main',
    'git merge -sname main', 'git merge -qs name main', 'git merge --strategy=name main', 'git merge --strat name main', 'git pull -s name', 'git rebase -s name x',
    'git cherry-pick --strategy name x', 'git revert --strategy=name x', 'git daemon --access-hook=x', 'git instaweb --httpd=x', 'git shell -c x', 'git hook run x',
    'git bisect run x', 'git rebase --exec x main', 'git rebase -x x main', 'git submodule foreach x', 'git submodule foreach "x y"', 'git filter-branch --tree-filter x',
    'git filter-branch x', 'git difftool -x x', 'git difftool', 'git mergetool -t x', 'git mergetool', 'git fetch ext::sh', 'git fetch foo::sh', 'git clone foo::sh',
    'git remote add o foo::sh', 'git push foo::sh', 'git ls-remote foo::x', 'git submodule add foo::x', 'git clone ssh://-oProxyCommand=x/y', 'git clone ssh://a@-oProxyCommand=x/y',
    'git clone --template=x a', 'git clone --temp x a', 'git init --template x', 'git clone -u x a', 'git clone --upload-pack=x a', 'git archive --exec=x HEAD',
    'git archive --remote=o HEAD', 'git archive --remote ext::sh HEAD', 'git maintenance start', 'git for-each-repo --config=x fetch', 'git help -w log', 'git help --web log',
    'git var -l', 'git credential fill', 'git credential-store get', 'git credential-cache get', 'git remote-ext o "sh -c x"', 'git remote-fd o 17', 'git receive-pack x',
    'git upload-pack x', 'git http-backend', 'git web--browse x', 'git gui', 'git grep -O x', 'git apply --unsafe-paths x', 'git -C sub credential fill', 'git --attr-source HEAD difftool', 'git difftool--helper x', 'git submodule--helper x',
  ])('asks for %s', (command) => {
    expect(effectOf(command)).toBe('ask');
  });

  // prettier-ignore
  it.each([
    'git apply --directory=/etc x.patch', 'git apply --direc /etc x.patch', 'git checkout-index --prefix=/etc/ -a', 'git checkout-index --prefix=../x/ -a',
    'git checkout-index --prefix /etc/ -a', 'git read-tree --index-output=/etc/x HEAD', 'git bundle create /etc/x --all', 'git bundle create -q /etc/x --all',
    'git archive -o /etc/x HEAD', 'git archive -o/etc/x HEAD', 'git archive --output=/etc/x HEAD', 'git archive --outp /etc/x HEAD', 'git format-patch -o /etc HEAD',
    'git format-patch -o/etc HEAD', 'git format-patch --output-directory=/etc HEAD', 'git format-patch --output-directory /etc HEAD', 'git worktree add /opt/x',
    'git worktree add -b y /opt/x', 'git worktree move a /opt/x', 'git init /opt/x', 'git init -b main /opt/x', 'git init --separate-git-dir=/opt/x',
    'git clone X /opt/x', 'git clone --depth 1 X /opt/x', 'git clone -b main X /opt/x', 'git clone --dep 1 X /opt/x', 'git clone --separate-git-dir /opt/x X',
    'git index-pack -o /opt/x p', 'git pack-objects /opt/x', 'git mailsplit -o/opt x', 'git mailinfo /opt/a b', 'git merge-file /opt/a b c',
    'git fast-export --export-marks=/opt/x HEAD', 'git fast-import --export-marks=/opt/x', 'git bugreport -o /opt', 'git diagnose -o /opt',
    'git commit-graph write --object-dir /opt', 'git submodule add X /opt/x', 'git log --output=/opt/x', 'git diff --outp /opt/x',
  ])('asks for %s, which writes outside of the roots', (command) => {
    expect(effectOf(command)).toBe('ask');
  });

  it.each(['git difftool', 'git config core.pager less', 'git maintenance run', 'git -p log'])(
    'may be one for %s word for word, or for every command',
    (command) => {
      expect(judge(bash(command), policyOf({ allow: [`Bash(${command})`] })).effect).toBe('allow');
      expect(judge(bash(command), policyOf({ allow: ['Bash'] })).effect).toBe('allow');
    },
  );

  it.each([
    'git $X',
    'git "$(cat f)" x',
    'git -C sub $X',
    'git d*',
    'git {daemon,x}',
    'X=daemon; git $X',
    'X=config; git $X core.pager x',
    'for c in status difftool; do git $c; done',
  ])('asks for %s, which may be one', (command) => {
    expect(effectOf(command)).toBe('ask');
  });

  it.each([
    'X=status; git $X',
    'for c in status fetch pull; do git $c; done',
    'X=config; git $X user.name x',
    'git p{ull,}',
  ])('knows that %s is none', (command) => {
    expect(effectOf(command)).toBe('allow');
  });

  it('looks through what each repository is told to do, and past what stands in front', () => {
    const policy = policyOf({ allow: ['Bash'], deny: ['Bash(git push *)'] });
    expect(judge(bash('git --attr-source HEAD push'), policy).effect).toBe('deny');
    expect(judge(bash('git for-each-repo --config=x push'), policy).effect).toBe('deny');
    expect(judge(bash('git for-each-repo --config x push o'), policy).effect).toBe('deny');
  });

  // prettier-ignore
  it.each([
    'git config user.name x', 'git config --global user.email x', 'git config core.pager cat', 'git config core.quotePath false', 'git config core.autocrlf true',
    'git -c core.pager=cat log', 'git -c core.fsmonitor=false status', 'git -c core.hooksPath=/dev/null commit -m x', 'git -c user.name=x commit -m y',
    'git -c protocol.file.allow=always fetch', 'git merge main', 'git merge -s ours main', 'git merge -Xours main', 'git merge -X theirs main', 'git merge --stat main',
    'git merge -m "std::x" main', 'git cherry-pick -s abc', 'git revert -s abc', 'git commit -s -m x', 'git fetch origin', 'git pull --rebase', 'git push -u origin main',
    'git remote add o https://x.example/y', 'git remote add o git@x.example:y', 'git clone https://a.example/b', 'git clone -b main --depth 1 https://a.example/b src/x',
    'git init', 'git init sub', 'git worktree add ../app/x', 'git worktree add -b y x', 'git apply x.patch', 'git apply --directory=sub x.patch', 'git grep -n std::vector',
    'git log -S foo::bar', 'git format-patch -o out HEAD~1', 'git archive -o x.tar HEAD', 'git help log', 'git var GIT_EDITOR', 'git submodule update --init',
    'git bisect start', 'git hook list', 'git rebase main', 'git stash pop', 'git add .', 'git commit -am x',
  ])('still means %s', (command) => {
    expect(effectOf(command)).toBe('allow');
  });
});

describe('a deny of reading and what git keeps', () => {
  const denied = policyOf({ allow: ['Bash(git *)'], deny: ['Read(**/.env)'] });
  const said = (command: string): string => judge(bash(command), denied).effect;

  it.each([
    'git fmt-merge-msg -F .env',
    'git fmt-merge-msg --file .env',
    'git update-index --add .env',
    'git add .env',
    'git add .env && git diff --cached',
    'git hash-object -w .env',
    'git commit .env -m x',
    'git commit -m x .env',
    'git commit -am x .env',
    'git commit -m x -- .env',
    'git send-email .env',
    'git format-patch --signature-file=.env HEAD~1',
    'git stash push .env',
  ])('refuses %s', (command) => {
    expect(said(command)).toBe('deny');
  });

  it.each([
    'git add -f .',
    'git add -Af',
    'git add --force src',
    'git stash -a',
    'git update-index --stdin < x',
    'git hash-object -w --stdin-paths < x',
  ])('asks for %s, which may take it along', (command) => {
    expect(said(command)).toBe('ask');
  });

  it.each([
    'git add .',
    'git add -A',
    'git commit -am .env',
    'git commit -m "read .env"',
    'git diff --cached',
    'git stash',
    'git stash -m a',
  ])('says nothing of %s', (command) => {
    expect(said(command)).toBe('allow');
  });
});
