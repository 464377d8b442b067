/**
 * docs/graphql-reference.md has every root field, argument and type of a schema with every kind of object.
 * `JOINERY_UPDATE_EXAMPLES=1` writes the tables; the columns that the schema does not have are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../support/service/test-service.ts';
import { startExampleServers } from './example-servers.ts';
import { examplesOf } from './page-examples.ts';
import { type GeneratedTable, rowsWithoutText, withTable } from './page-tables.ts';
import { argumentRows, kindOf, rootRows, typeRows } from './schema-kinds.ts';

const file = fileURLToPath(new URL('../../../docs/graphql-reference.md', import.meta.url));
const examples = examplesOf(readFileSync(file, 'utf8'));

let schema: GraphQLSchema;
let relay: GraphQLSchema;

/** The schemas of `admin` after the statements and commands of the page. */
beforeAll(async () => {
  const servers = await startExampleServers();
  const service = await startService({ ...servers.environment, JOINERY_APOLLO_FEDERATION: 'true' });
  const introspect = async (endpoint: string): Promise<GraphQLSchema> => {
    const { body } = await service.post(endpoint, { query: getIntrospectionQuery() });
    return buildClientSchema((body as { readonly data: IntrospectionQuery }).data);
  };
  try {
    for (const { kind, text } of examples) {
      if (kind === 'sql') await service.command('run_sql', { sql: text });
      if (kind === 'command') expect(await service.post('/v1/metadata', text)).toMatchObject({ status: 200 });
    }
    schema = await introspect('/v1/graphql');
    relay = await introspect('/v1beta1/relay');
  } finally {
    await service.stop();
    await servers.stop();
  }
});

const rootColumns = ['root field', 'arguments', 'result', 'description in the schema', 'meaning', 'exists'];

function tables(): readonly GeneratedTable[] {
  const root = (heading: string, rows: GeneratedTable['rows']): GeneratedTable => ({
    heading,
    columns: rootColumns,
    rows,
  });
  return [
    root('Root fields of queries', rootRows(schema.getQueryType())),
    root('Root fields of mutations', rootRows(schema.getMutationType())),
    root('Root fields of subscriptions', rootRows(schema.getSubscriptionType())),
    root('Root fields of Relay', rootRows(relay.getQueryType())),
    {
      heading: 'Arguments',
      columns: ['argument', 'type', 'description in the schema', 'meaning'],
      rows: argumentRows([schema, relay]),
    },
    {
      heading: 'Types',
      columns: ['type', 'kind', 'members', 'description in the schema', 'meaning', 'exists'],
      rows: typeRows([schema, relay]),
    },
  ];
}

it('docs/graphql-reference.md has the root fields, arguments and types of the schema', () => {
  const generated = tables().reduce(withTable, readFileSync(file, 'utf8'));
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});

it('each root field, argument and type of docs/graphql-reference.md has a meaning and a condition', () => {
  const page = readFileSync(file, 'utf8');
  expect(tables().flatMap((table) => rowsWithoutText(page, table))).toEqual([]);
});

describe('the examples of docs/graphql-reference.md', () => {
  /** Kinds of root fields and names of arguments that the operations of the page use. */
  function used(): { readonly roots: ReadonlySet<string>; readonly inputs: ReadonlySet<string> } {
    const roots = new Set<string>();
    const inputs = new Set<string>();
    for (const { kind, text, endpoint } of examples) {
      if (kind !== 'graphql' && kind !== 'subscription') continue;
      const info = new TypeInfo(endpoint === '/v1beta1/relay' ? relay : schema);
      visit(
        parse(text),
        visitWithTypeInfo(info, {
          Field: ({ name }) => {
            if (/_root$/.test(info.getParentType()?.name ?? ''))
              roots.add(`${info.getParentType()} ${kindOf(name.value)}`);
          },
          Argument: ({ name }) => void inputs.add(name.value),
        }),
      );
    }
    return { roots, inputs };
  }

  it('use every root field of queries and mutations', () => {
    const all = [schema, relay].flatMap((one) =>
      [one.getQueryType(), one === schema ? one.getMutationType() : undefined].flatMap((type) =>
        Object.keys(type?.getFields() ?? {}).map((name) => `${type} ${kindOf(name)}`),
      ),
    );
    expect([...new Set(all)].filter((kind) => !used().roots.has(kind))).toEqual([]);
  });

  it('use the root fields of subscriptions that queries do not have', () => {
    const others = Object.keys(schema.getQueryType()?.getFields() ?? {}).map(kindOf);
    const own = Object.keys(schema.getSubscriptionType()?.getFields() ?? {})
      .map(kindOf)
      .filter((kind) => !others.includes(kind));
    expect([...new Set(own)].filter((kind) => !used().roots.has(`subscription_root ${kind}`))).toEqual([]);
  });

  it('use every argument', () => {
    const names = argumentRows([schema, relay]).map(([name = '']) => name.replaceAll('`', '').replace(/:.*/, ''));
    expect(names.filter((name) => !used().inputs.has(name))).toEqual([]);
  });
});
