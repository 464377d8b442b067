/** Drafts for tests of the resolve stages: tables made from a few words, without a database. */

import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, SourceName } from '@joinery/metadata/names';
import { arrayOf, builtInTypes } from '../../../src/model/predicate/column-types.ts';
import type { ColumnType } from '../../../src/model/types/column-type.ts';
import type { Draft, DraftSource, DraftTable } from '../../../src/model/types/draft.ts';
import type { Inconsistency } from '../../../src/model/types/inconsistency.ts';
import type { Column } from '../../../src/model/types/table.ts';
import { relationKey } from '../../../src/postgres/catalog/catalog-types.ts';
import { plainColumn, writtenParts } from './table-defaults.ts';

export interface DraftParts {
  /** Table (`name` or `schema.name`) to its columns: column to a type of `columnType`. */
  readonly tables?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The same in a source named `other`. */
  readonly otherTables?: DraftParts['tables'];
  readonly custom_types?: unknown;
  readonly actions?: readonly unknown[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A draft, and what was reported to it. */
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
  const made = Object.entries(columns).map(([column, type]): Column => {
    return { name: column, field: column, type: columnType(type), nullable: false, comment: undefined, ...plainColumn };
  });
  return {
    source,
    schema,
    name,
    graphqlName,
    roots: { select: graphqlName, select_by_pk: `${graphqlName}_by_pk`, select_aggregate: `${graphqlName}_aggregate` },
    streamRoot: `${graphqlName}_stream`,
    comment: undefined,
    columns: new Map(made.map((column) => [column.field, column])),
    columnsByName: new Map(made.map((column) => [column.name, column])),
    primaryKey: undefined,
    uniqueKeys: [],
    relationships: new Map(),
    joins: new Map(),
    computedFields: new Map(),
    selectAccess: new Map(),
    ...writtenParts(name),
  };
}

/** `Int`, `String`, `numeric`, ...; `String[]`; `enum status`; `other point`. */
export function columnType(text: string): ColumnType {
  const built = builtInTypes.get(text);
  if (built !== undefined) return built;
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
