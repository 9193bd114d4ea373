/** Rules about hosts, held against the addresses in a command line. */
import { domainMatches } from '../rules/domain-pattern.js';
import { forHostRules, type RuleIndex } from '../rules/rule-index.js';
import { toolEntry } from '../tools/manifest.js';
import type { Judgement } from './judgement.js';
import type { RuleListener } from './rule-listener.js';

/** What may not be fetched is not fetched by a program of the shell either. */
export function forAddressRules(judgement: Judgement, index: RuleIndex, listen: RuleListener): void {
  if (index.domains.size === 0) return;
  const { tools } = judgement.policy.preset;
  const isMeant = (tool: string): boolean => toolEntry(tools, tool).url !== undefined;
  for (const { text, hosts } of judgement.analysis.addresses) {
    forHostRules(index, { hosts, isMeant }, (rule) => {
      if (rule.spec.kind !== 'domain') return;
      const { domain } = rule.spec;
      if (hosts === null) listen(rule, text, false);
      else if (hosts.some((host) => domainMatches(domain, host))) listen(rule, text, true);
    });
  }
}
