/** Drafts for tests of the stages of `resolve`, built from short descriptions without a database. */

import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import { arrayOf, builtInTypes } from '../../../src/model/predicate/column-types.ts';
import type { ColumnType } from '../../../src/model/types/column-type.ts';
import type { Draft, DraftSource, DraftTable } from '../../../src/model/types/draft.ts';
import type { Inconsistency } from '../../../src/model/types/inconsistency.ts';
import type { Column } from '../../../src/model/types/table.ts';
import { relationKey } from '../../../src/postgres/catalog/catalog-types.ts';
import { plainColumn, writeDefaults } from './table-defaults.ts';

export interface DraftParts {
  /** Columns by table (`name` or `schema.name`), each with a type of `columnType`. */
  readonly tables?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Tables of a source named `other`. */
  readonly otherTables?: DraftParts['tables'];
  readonly custom_types?: unknown;
  readonly actions?: readonly unknown[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns a draft and the inconsistencies that were reported to it. */
export function draftOf(parts: DraftParts): { readonly draft: Draft; readonly reports: Inconsistency[] } {
  const reports: Inconsistency[] = [];
  const { custom_types, actions } = parts;
  const metadata = Metadata.parse({
    version: 3,
    ...(custom_types !== undefined && { custom_types }),
    ...(actions !== undefined && { actions }),
  });
  const other = SourceName.parse('other');
  const draft: Draft = {
    input: {
      version: 1,
      metadata,
      catalogs: new Map(),
      upstreams: new Map(),
      environment: parts.environment ?? {},
      sessionPrefix: 'x-service-',
    },
    sources: new Map([
      [DEFAULT_SOURCE, sourceOf(DEFAULT_SOURCE, parts.tables)],
      [other, sourceOf(other, parts.otherTables)],
    ]),
    remoteSchemas: new Map(),
    actions: new Map(),
    report: (inconsistency) => {
      reports.push(inconsistency);
    },
  };
  return { draft, reports };
}

function sourceOf(name: SourceName, tables: DraftParts['tables'] = {}): DraftSource {
  return {
    name,
    functions: new Map(),
    logicalModels: new Map(),
    nativeQueries: new Map(),
    eventTriggers: new Map(),
    tables: new Map(
      Object.entries(tables).map(([qualified, columns]) => {
        const table = tableOf(name, qualified, columns);
        return [relationKey(table.schema, table.name), table];
      }),
    ),
  };
}

function tableOf(source: SourceName, qualified: string, columns: Readonly<Record<string, string>>): DraftTable {
  const [name = '', schema = 'public'] = qualified.split('.').reverse();
  const graphqlName = schema === 'public' ? name : `${schema}_${name}`;
  const built = Object.entries(columns).map(([column, type]): Column => {
    return { name: column, field: column, type: columnType(type), nullable: false, comment: undefined, ...plainColumn };
  });
  return {
    source,
    schema,
    name,
    graphqlName,
    roots: { select: graphqlName, select_by_pk: `${graphqlName}_by_pk`, select_aggregate: `${graphqlName}_aggregate` },
    streamRoot: `${graphqlName}_stream`,
    connectionRoot: `${graphqlName}_connection`,
    comment: undefined,
    columns: new Map(built.map((column) => [column.field, column])),
    columnsByName: new Map(built.map((column) => [column.name, column])),
    primaryKey: undefined,
    uniqueKeys: [],
    relationships: new Map(),
    joins: new Map(),
    computedFields: new Map(),
    selectAccess: new Map(),
    ...writeDefaults(name),
  };
}

/** Returns the column type for a text such as `Int`, `numeric`, `String[]`, `enum status` or `other point`. */
export function columnType(text: string): ColumnType {
  const builtIn = builtInTypes.get(text);
  if (builtIn !== undefined) return builtIn;
  if (text.endsWith('[]')) return arrayOf(columnType(text.slice(0, -2)));
  const [family = '', name = ''] = text.split(' ');
  if (name === '') throw new Error(`no column type "${text}"`);
  return {
    name,
    sqlName: name,
    family: family as ColumnType['family'],
    scalar: name,
    element: undefined,
    labels: [],
    category: 'U',
  };
}

/** Adds a remote schema that was resolved. */
export function addRemoteSchema(draft: Draft, name: string, upstream: GraphQLSchema): void {
  const parsed = RemoteSchemaName.parse(name);
  draft.remoteSchemas.set(parsed, {
    name: parsed,
    url: { template: 'http://127.0.0.1/' },
    headers: [],
    forwardClientHeaders: false,
    timeoutMs: 1000,
    upstream,
  });
}
