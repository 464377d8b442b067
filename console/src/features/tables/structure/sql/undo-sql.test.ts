import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { describe, expect, it } from 'vitest';
import { changeColumnSql, columnDraft } from './column-sql.ts';
import { restoreEnumSql } from './enum-sql.ts';
import {
  restoreConstraintSql,
  restoreIndexSql,
  restoreViewSql,
  undoChangeColumnSql,
  undoChangeTableSql,
  undoPrimaryKeySql,
} from './undo-sql.ts';

const table = { schema: 'public', name: 'Order' };
const column: ColumnInfo = {
  name: 'total',
  sql_type: 'text',
  type: 'text',
  nullable: true,
  has_default: true,
  writable: true,
  default: "'0'::text",
  identity: null,
  generated: false,
  comment: null,
};

describe('a change of a column', () => {
  it('is undone in type, default, nullability, comment and name', () => {
    const draft = {
      ...columnDraft(column),
      ...{
        name: 'sum',
        type: 'integer',
        using: 'total::integer',
        nullable: false,
        expression: '0',
        comment: 'in cents',
      },
    };
    expect(changeColumnSql(table, column, draft).split('\n')).toHaveLength(6);
    expect(undoChangeColumnSql(table, column, draft).split('\n')).toEqual([
      'alter table public."Order" alter column sum drop default;',
      'alter table public."Order" alter column sum type text using sum::text;',
      'alter table public."Order" alter column sum drop not null;',
      `alter table public."Order" alter column sum set default '0'::text;`,
      'comment on column public."Order".sum is null;',
      'alter table public."Order" rename column sum to total;',
    ]);
  });

  it('is undone by nothing where nothing changes', () => {
    expect(undoChangeColumnSql(table, column, columnDraft(column))).toBe('');
  });
});

it('undoes a new name, schema and comment of a table', () => {
  expect(
    undoChangeTableSql(table, 'table', 'old', { schema: 'shop', name: 'purchase', comment: '' }).split('\n'),
  ).toEqual([
    `comment on table shop.purchase is 'old';`,
    'alter table shop.purchase rename to "Order";',
    'alter table shop."Order" set schema public;',
  ]);
});

it('restores what PostgreSQL has defined', () => {
  const check = { name: 'Positive', definition: 'CHECK (total > 0) NOT VALID' };
  expect(restoreConstraintSql(table, check)).toBe(
    'alter table public."Order" add constraint "Positive" CHECK (total > 0) NOT VALID;',
  );
  expect(restoreIndexSql({ definition: 'CREATE INDEX i ON public."Order" USING btree (id)' })).toBe(
    'CREATE INDEX i ON public."Order" USING btree (id);',
  );
  expect(restoreEnumSql({ ...table, values: ['open', "it's"] })).toBe(
    `create type public."Order" as enum ('open', 'it''s');`,
  );
  expect(restoreViewSql(table, ' SELECT 1;')).toBe('create view public."Order" as\nSELECT 1;');
});

it('restores a replaced primary key only where the name of the new one is known', () => {
  const replaced = { name: 'order_pkey', definition: 'PRIMARY KEY (id)' };
  expect(undoPrimaryKeySql(table, '', replaced)).toBeUndefined();
  expect(undoPrimaryKeySql(table, 'pk', replaced)).toBe(
    'alter table public."Order"\n  drop constraint pk,\n  add constraint order_pkey PRIMARY KEY (id);',
  );
});
