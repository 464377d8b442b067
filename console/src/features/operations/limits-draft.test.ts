import { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { expect, test } from 'vitest';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { emptyLimits, limitErrors, limitsFormat, noValue } from './limits-draft.ts';

const limits = {
  disabled: true,
  depth_limit: { global: 7, per_role: { editor: 12 } },
  time_limit: { global: 2.5 },
  rate_limit: {
    global: { max_reqs_per_min: 600, unique_params: 'IP' },
    per_role: {
      app: { max_reqs_per_min: 60 },
      user: { max_reqs_per_min: 30, unique_params: ['x-service-user-id', 'x-service-org'] },
    },
  },
};

test('the form shows limits and writes them back unchanged', () => {
  expect(ApiLimits.safeParse(limits).success).toBe(true);
  const draft = limitsFormat.read(limits);
  if (draft instanceof Unreadable) throw new Error(draft.reason);
  expect(limitsFormat.write(draft)).toEqual(limits);
  expect(limitErrors(draft)).toEqual({});
});

test('an empty form writes no limit', () => {
  expect(limitsFormat.write(emptyLimits)).toEqual({});
});

test('says why the form cannot show a limit', () => {
  expect(limitsFormat.read({ width_limit: { global: 1 } })).toEqual(new Unreadable('There is no limit "width_limit".'));
  expect(limitsFormat.read({ depth_limit: 3 })).toBeInstanceOf(Unreadable);
});

test('reports a value that is no number, a role without name, a role twice, and a missing limit for every role', () => {
  const role = (key: number, name: string) => ({ ...noValue, key, role: name, count: '3' });
  const draft = {
    ...emptyLimits,
    limits: {
      ...emptyLimits.limits,
      depth_limit: { global: { ...noValue, count: 'deep' }, roles: [] },
      node_limit: { global: noValue, roles: [role(0, 'user'), role(1, 'user'), role(2, '')] },
    },
  };
  const errors = limitErrors(draft);
  expect(errors['depth_limit.global']).toBeDefined();
  expect(errors['node_limit.global']).toBe('Required where single roles have a limit.');
  expect(errors['node_limit.roles.1']).toBe('The role has a limit already.');
  expect(errors['node_limit.roles.2']).toBe('Choose a role.');
});
