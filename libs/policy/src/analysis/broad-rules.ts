/** Finds allows that free far more than they name, and denies of everything. */
import { allowsByItself, judgeOn, speaksIn, specimensFor, type Bench, type ListedRule } from './bench.js';
import type { Finding } from './finding.js';
import { everydayCalls, hazardsOf, type Hazard } from './hazards.js';
import { reportOn } from './report.js';

/** One finding for each over-broad rule. */
export function broadRules(bench: Bench): Finding[] {
  return [...broadAllows(bench), ...serverAllows(bench), ...denialsOfAll(bench)];
}

/** Every hazard is judged once by the whole policy; only the rules that speak for one are looked at any further. */
function broadAllows(bench: Bench): Finding[] {
  if (!bench.rules.some((rule) => rule.rule.effect === 'allow')) return [];
  const allowed = hazardsOf(bench.maker)
    .map((hazard) => ({ hazard, verdict: judgeOn(bench, hazard.call) }))
    .filter(({ verdict }) => verdict.effect === 'allow');
  return bench.rules.flatMap((rule) => {
    if (rule.rule.effect !== 'allow') return [];
    const spoken = allowed.filter(({ hazard, verdict }) => speaksIn(verdict, rule) && !spellsOut(rule, hazard));
    // A hazard that this rule decides shows it best; beside an equal rule it may decide none.
    const best = spoken.find(({ verdict }) => verdict.ruleId === rule.place) ?? spoken[0];
    return best === undefined || !allowsByItself(bench, rule, best.hazard.call)
      ? []
      : reportBroad(bench, rule, best.hazard);
  });
}

function reportBroad(bench: Bench, rule: ListedRule, hazard: Hazard): Finding {
  return reportOn(bench, rule, {
    kind: 'over-broad',
    witness: hazard.call,
    explanation: `\`${rule.rule.pattern}\` lets through a call that ${hazard.meaning}`,
    fix: fixOf(rule),
  });
}

/** A rule without wildcards frees what it says and nothing else. */
function spellsOut(rule: ListedRule, hazard: Hazard): boolean {
  const { spec } = rule.compiled;
  return (
    spec.kind === 'command' &&
    spec.command.exact !== null &&
    Object.values(hazard.call.args).includes(spec.command.exact)
  );
}

function fixOf(rule: ListedRule): string {
  switch (rule.compiled.spec.kind) {
    case 'regex':
      return 'let the expression spell out what is meant';
    case 'command':
      return 'spell out the script or subcommand that is meant, and let the rest ask';
    case 'path':
      return 'name the folders that are meant';
    case 'domain':
      return 'name the hosts that are meant';
    case 'whole':
    case 'content':
    case 'text':
      return `say what of \`${rule.rule.pattern}\` is meant: a command, a path or a host in brackets`;
  }
}

function serverAllows(bench: Bench): Finding[] {
  return bench.rules.flatMap((rule) => {
    const [witness] = specimensFor(bench, rule);
    const { tool } = rule.compiled;
    if (rule.rule.effect !== 'allow' || tool.kind !== 'server' || witness === undefined) return [];
    if (!allowsByItself(bench, rule, witness)) return [];
    return reportOn(bench, rule, {
      kind: 'over-broad',
      witness,
      explanation: `allows every tool that the server \`${tool.name}\` has now or gets later, with any arguments`,
      fix: `name its tools, as in \`${tool.name}__get_*\``,
    });
  });
}

function denialsOfAll(bench: Bench): Finding[] {
  const calls = everydayCalls(bench.maker);
  const [first] = calls;
  const denies = bench.rules.filter((rule) => rule.rule.effect === 'deny');
  if (first === undefined || denies.length === 0) return [];
  const verdicts = calls.map((call) => judgeOn(bench, call));
  return denies
    .filter((rule) => verdicts.every((verdict) => verdict.effect === 'deny' && speaksIn(verdict, rule)))
    .map((rule) =>
      reportOn(bench, rule, {
        kind: 'over-broad',
        witness: first,
        explanation: `\`${rule.rule.pattern}\` denies every call, even those that only read`,
        fix: 'name the tools that are meant; to refuse whatever is not allowed, use the mode `dontAsk`',
      }),
    );
}
