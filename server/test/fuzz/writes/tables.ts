/**
 * The tables of the random nested inserts and updates, whose keys have column presets: the permissions as metadata, and
 * the same permissions as functions.
 */

export type TableName = 'author' | 'article' | 'badge' | 'post' | 'comment';

export type Row = Readonly<Record<string, unknown>>;

/** Rows by table. */
export type Rows = Readonly<Record<TableName, readonly Row[]>>;

export interface Writer {
  readonly role: 'writer' | 'inherited';
  readonly user: number;
  readonly tenant: string;
}

export function sessionOf({ user, tenant }: Writer): Readonly<Record<string, string>> {
  return { 'x-service-user-id': String(user), 'x-service-tenant': tenant };
}

export const tableNames: readonly TableName[] = ['author', 'article', 'badge', 'post', 'comment'];

export const writeSql = `
  create table author (id int primary key, name text unique, owner int);
  create table article (id int primary key, title text unique, author_id int references author);
  create table badge (id int primary key, label text, author_id int unique references author);
  create table post (id int, tenant text, title text, primary key (id, tenant));
  create table comment (
    id int primary key, body text, post_id int, tenant text, foreign key (post_id, tenant) references post
  );
`;

export const resetSql = `
  truncate author, article, badge, post, comment;
  insert into author select n, 'author ' || n, n from generate_series(1, 4) n;
  insert into article select n, 'title ' || n, 1 + n % 4 from generate_series(1, 6) n;
  insert into badge values (1, 'gold', 1);
  insert into post select n, tenant, 'post' from generate_series(1, 3) n, unnest(array['red', 'blue']) tenant;
  insert into comment select n, 'text', 1 + n % 3, case n % 2 when 0 then 'red' else 'blue' end from generate_series(1, 6) n;
`;

/** A relationship for nested inserts. One of the two rows gets its key from the other. */
export interface Relation {
  readonly name: string;
  readonly target: TableName;
  /** Columns of the source table by columns of the target table. */
  readonly on: Readonly<Record<string, string>>;
  /** Whether the target row is inserted first and determines the key. */
  readonly before: boolean;
  readonly many: boolean;
}

interface Permission {
  readonly columns: readonly string[];
  readonly presets: (writer: Writer) => Row;
  readonly check: (row: Row) => boolean;
}

export interface TableRules {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Further unique columns. */
  readonly unique: readonly string[];
  readonly foreign: readonly { readonly on: Readonly<Record<string, string>>; readonly target: TableName }[];
  readonly relations: readonly Relation[];
  readonly insert: Permission;
  readonly update: Permission & { readonly filter: (row: Row, writer: Writer) => boolean };
}

const everyRow = () => true;
const none = () => ({});

export const rules: Readonly<Record<TableName, TableRules>> = {
  author: {
    columns: ['id', 'name', 'owner'],
    key: ['id'],
    unique: ['name'],
    foreign: [],
    relations: [
      { name: 'articles', target: 'article', on: { id: 'author_id' }, before: false, many: true },
      { name: 'badge', target: 'badge', on: { id: 'author_id' }, before: false, many: false },
    ],
    insert: { columns: ['id', 'name'], presets: ({ user }) => ({ owner: user }), check: everyRow },
    update: {
      columns: ['name'],
      presets: ({ user }) => ({ owner: user }),
      check: everyRow,
      filter: ({ id }, { user }) => id === user || Number(id) > 4,
    },
  },
  article: {
    columns: ['id', 'title', 'author_id'],
    key: ['id'],
    unique: ['title'],
    foreign: [{ on: { author_id: 'id' }, target: 'author' }],
    relations: [{ name: 'author', target: 'author', on: { author_id: 'id' }, before: true, many: false }],
    insert: {
      columns: ['id', 'title'],
      presets: ({ user }) => ({ author_id: user }),
      check: ({ id }) => Number(id) < 20,
    },
    update: { columns: ['title'], presets: ({ user }) => ({ author_id: user }), check: everyRow, filter: everyRow },
  },
  badge: {
    columns: ['id', 'label', 'author_id'],
    key: ['id'],
    unique: ['author_id'],
    foreign: [{ on: { author_id: 'id' }, target: 'author' }],
    relations: [],
    insert: { columns: ['id', 'label'], presets: none, check: everyRow },
    // Only an upsert that changes a badge has this preset.
    update: { columns: ['label'], presets: ({ user }) => ({ author_id: user }), check: everyRow, filter: everyRow },
  },
  post: {
    columns: ['id', 'tenant', 'title'],
    key: ['id', 'tenant'],
    unique: [],
    foreign: [],
    relations: [
      { name: 'comments', target: 'comment', on: { id: 'post_id', tenant: 'tenant' }, before: false, many: true },
    ],
    insert: { columns: ['id', 'tenant', 'title'], presets: none, check: everyRow },
    update: { columns: ['title'], presets: none, check: everyRow, filter: everyRow },
  },
  comment: {
    columns: ['id', 'body', 'post_id', 'tenant'],
    key: ['id'],
    unique: [],
    foreign: [{ on: { post_id: 'id', tenant: 'tenant' }, target: 'post' }],
    relations: [{ name: 'post', target: 'post', on: { post_id: 'id', tenant: 'tenant' }, before: true, many: false }],
    insert: { columns: ['id', 'body', 'post_id'], presets: ({ tenant }) => ({ tenant }), check: everyRow },
    update: {
      columns: ['body', 'post_id'],
      presets: ({ tenant }) => ({ tenant }),
      check: ({ body }) => body !== null && body !== 'bad',
      filter: (row, { tenant }) => row.tenant === tenant || Number(row.id) > 3,
    },
  },
};

const user = 'X-Service-User-Id';
const tenant = 'X-Service-Tenant';
const byKey = (table: string, column: string) => ({ foreign_key_constraint_on: { table, column } });

function entry(table: TableName, insert: object, update: object, relationships: object = {}): unknown {
  const of = (permission: object) => [{ role: 'writer', permission }];
  const all = { columns: '*', filter: {} };
  return {
    table,
    select_permissions: ['writer', 'reader'].map((role) => ({ role, permission: all })),
    insert_permissions: of({ check: {}, ...insert }),
    update_permissions: of({ filter: {}, ...update }),
    ...relationships,
  };
}

export const writeMetadata = {
  inherited_roles: [{ role_name: 'inherited', role_set: ['writer', 'reader'] }],
  sources: [
    {
      name: 'default',
      tables: [
        entry(
          'author',
          { columns: ['id', 'name', 'owner'], set: { owner: user } },
          { columns: ['name'], set: { owner: user }, filter: { _or: [{ id: user }, { id: { _gt: 4 } }] } },
          {
            array_relationships: [{ name: 'articles', using: byKey('article', 'author_id') }],
            object_relationships: [{ name: 'badge', using: byKey('badge', 'author_id') }],
          },
        ),
        entry(
          'article',
          { columns: '*', set: { author_id: user }, check: { id: { _lt: 20 } } },
          { columns: ['title', 'author_id'], set: { author_id: user } },
          { object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }] },
        ),
        entry('badge', { columns: ['id', 'label'] }, { columns: ['label'], set: { author_id: user } }),
        entry(
          'post',
          { columns: '*' },
          { columns: ['title'] },
          {
            array_relationships: [
              {
                name: 'comments',
                using: { foreign_key_constraint_on: { table: 'comment', columns: ['post_id', 'tenant'] } },
              },
            ],
          },
        ),
        entry(
          'comment',
          { columns: ['id', 'body', 'post_id'], set: { tenant } },
          {
            columns: ['body', 'post_id'],
            set: { tenant },
            filter: { _or: [{ tenant }, { id: { _gt: 3 } }] },
            check: { body: { _neq: 'bad' } },
          },
          { object_relationships: [{ name: 'post', using: { foreign_key_constraint_on: ['post_id', 'tenant'] } }] },
        ),
      ],
    },
  ],
};
