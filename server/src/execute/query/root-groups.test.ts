import type { SourceName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { album, artist, columns, rows } from '../../../test/support/model/print-model.ts';
import type { Table } from '../../model/types/table.ts';
import type { OperationPlan, RootPlan } from '../../plan/plan/operation.ts';
import { envelopeOf, printBody } from '../response/response.ts';
import { groupRoots } from './root-groups.ts';

const elsewhere: Table = { ...album, source: 'other' as SourceName };

function list(alias: string, of: Table): RootPlan {
  return { kind: 'rows', alias, rows: rows(of, columns(of, 'id')), shape: 'list' };
}

function total(alias: string, of: Table): RootPlan {
  return { kind: 'aggregate', alias, aggregate: { rows: rows(of, []), parts: [] } };
}

function remote(alias: string, schema: object): RootPlan {
  return { kind: 'remote', alias, forward: { remote: schema } } as RootPlan;
}

function action(alias: string): RootPlan {
  return { kind: 'action', alias, call: {} } as RootPlan;
}

function grouped(kind: OperationPlan['kind'], roots: readonly RootPlan[]): string[] {
  return groupRoots({ kind, name: undefined, roots }).map((group) => `${group.kind} ${group.at.join(' ')}`);
}

const [one, other] = [{}, {}];
const roots = [
  list('a', artist),
  remote('b', one),
  list('c', elsewhere),
  { kind: 'constant', alias: 'd', value: 1 } as const,
  total('e', album),
  action('f'),
  action('g'),
  remote('h', other),
  remote('i', one),
];

test('groups the roots of a query by source or remote schema in any order', () => {
  expect(grouped('query', roots)).toEqual([
    'database 0 4',
    'remote 1 8',
    'database 2',
    'action 5',
    'action 6',
    'remote 7',
  ]);
});

test('groups only adjacent roots of a mutation, so that each group is one transaction', () => {
  const mutations = [remote('a', one), remote('b', one), action('c'), remote('d', one), remote('e', other)];
  expect(grouped('mutation', mutations)).toEqual(['remote 0 1', 'action 2', 'remote 3', 'remote 4']);
  expect(grouped('mutation', [list('a', artist), list('b', album), list('c', elsewhere)])).toEqual([
    'mutation 0 1',
    'mutation 2',
  ]);
});

test('prints the members of the response in the order of the roots, including constants', () => {
  const plan: OperationPlan = { kind: 'query', name: undefined, roots };
  const envelope = envelopeOf(plan);
  const texts = envelope.texts.map((text, index) => text ?? `[${index}]`);
  expect(printBody(envelope, texts)).toBe(
    '{"data":{"a":[0],"b":[1],"c":[2],"d":1,"e":[4],"f":[5],"g":[6],"h":[7],"i":[8]}}',
  );
  expect(printBody(envelopeOf({ ...plan, roots: [] }), [])).toBe('{"data":{}}');
});
