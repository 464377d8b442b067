/** Tests of the bodies of requests to remote schemas. They are built once for a plan, and sent with the values of each request. */
import { RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import { ExactNumber } from '../../base/json-value.ts';
import { planOperation, prepare } from '../../plan/operation.ts';
import type { RootPlan } from '../../plan/plan/operation.ts';
import type { RemoteTarget } from '../../plan/plan/query.ts';
import type { NoLiteral } from '../../schema/remote/literal.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { bodyOf, rootDocument } from './document.ts';
import { joinDocument } from './join-document.ts';

const schema = `
  scalar Big
  enum Speed { SLOW FAST }
  input Filter { order: Int! speed: Speed note: String inner: Filter some: [Filter!] }
  interface Thing { id: ID! }
  type Box implements Thing { id: ID! size(unit: String = "cm"): Int }
  type Status { eta(zone: String, tries: Int = 1): String }
  type Shipment { id: ID! status: Status things: [Thing!] echo(text: String, big: Big): String }
  type Query {
    shipment(orderId: Int!, note: String): Shipment
    byCode(code: String!, speed: Speed): Shipment
    filtered(filter: Filter!, also: String): String
    rain: Float
  }
`;

const relationship = (name: string, remote_field: unknown) => ({
  name,
  definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['id', 'code'], remote_field } },
});

const { model, reports } = remoteModel({
  tables: { order: { id: 'Int', code: 'String' } },
  remotes: { carrier: { schema } },
  relationships: {
    order: [
      relationship('shipment', { shipment: { arguments: { orderId: '$id' } } }),
      relationship('eta', {
        shipment: {
          arguments: { orderId: '$id' },
          field: { status: { arguments: {}, field: { eta: { arguments: { tries: 2 } } } } },
        },
      }),
      relationship('by_code', { byCode: { arguments: { code: '$code' } } }),
      relationship('filtered', { filtered: { arguments: { filter: { order: '$id', some: [{ order: '$id' }] } } } }),
    ],
  },
});

function rootsOf(query: string, variables: Readonly<Record<string, unknown>> = {}): readonly RootPlan[] {
  return planOperation(prepare(roleSchema(model, RoleName.parse('admin')), query, undefined), variables).plan.roots;
}

function fieldsOf(query: string) {
  return rootsOf(query).map((root) => {
    if (root.kind !== 'remote') throw new Error(`${root.alias} is not a remote field`);
    return { alias: root.alias, plan: root.forward };
  });
}

function targetOf(query: string, variables?: Readonly<Record<string, unknown>>): RemoteTarget {
  const [root] = rootsOf(query, variables);
  const fields = root?.kind === 'rows' ? root.rows.fields : [];
  const target = fields.find((field) => field.kind === 'join')?.join.target;
  if (target?.kind !== 'remote') throw new Error('no join to a remote schema');
  return target;
}

function joinBody(
  target: RemoteTarget,
  keys: readonly (readonly unknown[])[],
  variables: Readonly<Record<string, unknown>> = {},
  onMismatch: (index: number, reason: NoLiteral) => void = (_index, reason) => {
    throw reason;
  },
): string | undefined {
  const document = joinDocument(target, keys, variables, onMismatch);
  return document && bodyOf(document);
}

const lines = (...parts: readonly string[]): string => parts.join('\\n');

test('the model of these tests is consistent', () => {
  expect(reports).toEqual([]);
});

describe('the body of a request with root fields', () => {
  const fields = fieldsOf(`
    query ($id: Int! = 3, $note: String, $unit: String) {
      first: shipment(orderId: $id, note: $note) { ...parts things { ... on Box { size(unit: $unit) } } }
      rain
    }
    fragment parts on Shipment { id status { when: eta(zone: "a\\"b") } }
  `);
  const query = (name: string) =>
    lines(
      `"query ${name}($id: Int! = 3, $note: String, $unit: String) {`,
      '  first: shipment(orderId: $id, note: $note) {',
      '    ... on Shipment {',
      '      id',
      '      status {',
      '        when: eta(zone: \\"a\\\\\\"b\\")',
      '      }',
      '    }',
      '    things {',
      '      ... on Box {',
      '        size(unit: $unit)',
      '      }',
      '    }',
      '  }',
      '  rain',
      '}"',
    );

  test('has the variables of each request', () => {
    expect(bodyOf(rootDocument(fields, { id: 1, unit: null }))).toBe(
      `{"query":${query('')},"variables":{"id":1,"unit":null}}`,
    );
    expect(bodyOf(rootDocument(fields, { unit: 'm\n', note: new ExactNumber('1e400'), other: 1 }))).toBe(
      `{"query":${query('')},"variables":{"note":1e400,"unit":"m\\n"}}`,
    );
    expect(bodyOf(rootDocument(fields, {}))).toBe(`{"query":${query('')}}`);
  });

  test('has the name of the operation', () => {
    const named = `{"query":${query('One')},"operationName":"One"}`;
    expect(bodyOf(rootDocument(fields, {}, 'One'))).toBe(named);
    expect(bodyOf(rootDocument(fields, {}))).toBe(`{"query":${query('')}}`);
    expect(bodyOf(rootDocument(fields, {}, 'One'))).toBe(named);
  });

  test('is printed once for all requests of a plan', () => {
    expect(rootDocument(fields, { id: 1 }).text).toBe(rootDocument(fields, { id: 2 }).text);
  });
});

describe('the body of a request for a join', () => {
  test('has a field for each key, and the selection as a fragment', () => {
    const target = targetOf(
      'query ($z: String) { order { shipment { a: id status { eta(zone: $z) } ...f } } } fragment f on Shipment { id }',
    );
    const body = (fields: readonly string[], variables: string) => {
      const fragment = [
        'fragment S on Shipment {',
        '  a: id',
        '  status {',
        '    eta(zone: $z)',
        '  }',
        '  ... on Shipment {',
        '    id',
        '  }',
        '}"',
      ];
      return `{"query":${lines('"query($z: String) {', ...fields, '}', ...fragment)}${variables}}`;
    };
    expect(joinBody(target, [[1], ['2']], { z: 'n"' })).toBe(
      body(['f0:shipment(orderId:1){...S}', 'f1:shipment(orderId:2){...S}'], ',"variables":{"z":"n\\""}'),
    );
    expect(joinBody(target, [[3]])).toBe(body(['f0:shipment(orderId:3){...S}'], ''));
  });

  test('has the fields of a path, with the arguments of the relationship and of the client', () => {
    const target = targetOf('query ($z: String) { order { eta(zone: $z) } }');
    expect(joinBody(target, [[1], [2]], { z: 'n' })).toBe(
      `{"query":${lines('"query($z: String) {', 'f0:shipment(orderId:1){status{eta(tries:2 zone: $z)}}', 'f1:shipment(orderId:2){status{eta(tries:2 zone: $z)}}', '}"')},"variables":{"z":"n"}}`,
    );
  });

  test('has escaped keys', () => {
    const target = targetOf('{ order { by_code(speed: FAST) { id } } }');
    expect(joinBody(target, [['a"\n'], [5]])).toBe(
      `{"query":${lines('"query {', 'f0:byCode(code:\\"a\\\\\\"\\\\n\\" speed: FAST){...S}', 'f1:byCode(code:\\"5\\" speed: FAST){...S}', '}', 'fragment S on Shipment {', '  id', '}"')}}`,
    );
  });

  test('has the values of each request in an argument that the relationship supplies in part', () => {
    const query =
      'query ($note: String, $also: String) { order { filtered(filter: { note: $note, some: [{ speed: SLOW }, { note: $note }] }, also: $also) } }';
    const target = targetOf(query);
    const body = (filter: string, variables: string) =>
      `{"query":${lines('"query($also: String) {', `f0:filtered(filter:${filter} also: $also)`, '}"')}${variables}}`;
    expect(joinBody(target, [[1]], { note: 'a', also: 'b' })).toBe(
      body('{order:1,some:[{order:1,speed:SLOW},{order:1,note:\\"a\\"}],note:\\"a\\"}', ',"variables":{"also":"b"}'),
    );
    expect(joinBody(target, [[2]], { note: 'c' })).toBe(
      body('{order:2,some:[{order:2,speed:SLOW},{order:2,note:\\"c\\"}],note:\\"c\\"}', ''),
    );
  });

  test('has no field for a key that is invalid for its argument', () => {
    const target = targetOf('{ order { shipment { id } } }');
    const mismatches: [number, string][] = [];
    const onMismatch = (index: number, reason: NoLiteral) => void mismatches.push([index, reason.message]);
    const body = `{"query":${lines('"query {', 'f1:shipment(orderId:1){...S}', '}', 'fragment S on Shipment {', '  id', '}"')}}`;
    expect(joinBody(target, [['x'], [1], [1.5]], {}, onMismatch)).toBe(body);
    expect(joinBody(target, [['x']], {}, onMismatch)).toBeUndefined();
    const message = (found: string) => `argument "orderId" of "shipment": ${found} is not a value of type Int`;
    expect(mismatches).toEqual([
      [0, message('the string')],
      [2, message('the number')],
      [0, message('the string')],
    ]);
  });
});
