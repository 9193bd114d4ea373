import { describe, expect, it } from '@jest/globals';
import { routeSchema, type Route } from '@countersign/contracts';
import { isApprovableOn, mayAnswer, OPEN_ROUTE, routeOf, type Membership } from './route.js';

const ASK = {
  tool: 'Bash',
  agents: ['agent', 'claude-code'],
  ruleId: 'command.recursive_delete',
  risk: 'high',
} as const;
const ANN: Membership = { personId: 'person_1', personName: 'Ann', groups: ['ops'], program: null };
const PAGER: Membership = { personId: null, personName: null, groups: [], program: 'pager' };

const route = (fields: Partial<Route>): Route => routeSchema.parse(fields);

describe('routeOf', () => {
  it('takes the first route that fits in everything it names', () => {
    const routes = [
      route({ tools: ['Edit'], approvers: ['group:editors'] }),
      route({
        rules: ['command.*'],
        risk: ['high'],
        approvers: ['group:ops'],
        rejectOnlyOn: ['slack'],
        remindAfter: 60,
      }),
      route({ approvers: ['person:Bo'] }),
    ];
    expect(routeOf(routes, ASK)).toEqual({
      channels: null,
      approvers: ['group:ops'],
      rejectOnlyOn: ['slack'],
      remindAfter: 60,
    });
    expect(routeOf(routes, { ...ASK, risk: 'low' }).approvers).toEqual(['person:Bo']);
    expect(routeOf(routes, { ...ASK, ruleId: 'commands.other', risk: 'high' }).approvers).toEqual(['person:Bo']);
  });

  it('goes by either name of an agent, so that leaving one out changes nothing', () => {
    const routes = [route({ agents: ['deployer'], approvers: ['group:ops'] })];
    expect(routeOf(routes, { ...ASK, agents: ['agent', 'deployer'] }).approvers).toEqual(['group:ops']);
    expect(routeOf(routes, { ...ASK, agents: ['deployer', 'other'] }).approvers).toEqual(['group:ops']);
    expect(routeOf(routes, { ...ASK, agents: ['agent', 'other'] })).toEqual(OPEN_ROUTE);
  });

  it('is open to everybody with the role when nothing fits', () => {
    expect(routeOf([route({ tools: ['Edit'] })], ASK)).toEqual(OPEN_ROUTE);
  });
});

describe('mayAnswer', () => {
  const open = (approvers: string[] | null) => ({ ...OPEN_ROUTE, approvers });

  it('B25a lets nobody answer where the list is empty', () => {
    expect(mayAnswer(open([]), ANN)).toBe(false);
    expect(mayAnswer(open([]), PAGER)).toBe(false);
  });

  it('asks for the group as it is now, the person, or the program', () => {
    expect(mayAnswer(open(['group:ops']), ANN)).toBe(true);
    expect(mayAnswer(open(['group:ops']), { ...ANN, groups: [] })).toBe(false);
    expect(mayAnswer(open(['person:Ann']), ANN)).toBe(true);
    expect(mayAnswer(open(['person:person_1']), ANN)).toBe(true);
    expect(mayAnswer(open(['person:Bo']), ANN)).toBe(false);
    expect(mayAnswer(open(['program:pager']), PAGER)).toBe(true);
    expect(mayAnswer(open(['program:other']), PAGER)).toBe(false);
    expect(mayAnswer(open(['group:ops']), PAGER)).toBe(false);
    expect(mayAnswer(open(['anybody']), ANN)).toBe(false);
  });

  it('without a list takes every known person and program, and nobody unknown', () => {
    expect(mayAnswer(open(null), ANN)).toBe(true);
    expect(mayAnswer(open(null), PAGER)).toBe(true);
    expect(mayAnswer(open(null), { personId: null, personName: 'Eve', groups: ['ops'], program: null })).toBe(false);
  });
});

describe('isApprovableOn', () => {
  it('closes the named channels for approvals only', () => {
    expect(isApprovableOn({ ...OPEN_ROUTE, rejectOnlyOn: ['slack'] }, 'slack')).toBe(false);
    expect(isApprovableOn({ ...OPEN_ROUTE, rejectOnlyOn: ['slack'] }, 'web')).toBe(true);
  });
});
