/**
 * The tables of the random requests, with rows and columns that the role must not see: the permissions as metadata, and
 * the same permissions as one SQL view for each table.
 */
import type { Database } from '../../src/postgres/client/pool.ts';
import { inheritedRole, inheritedViews, parentPermissions } from './inherited.ts';

/** A part of every value that the role must not see, and of no other value. */
export const MARKER = 'HIDDEN';

export type Kind =
  | 'int'
  | 'bigint'
  | 'numeric'
  | 'float'
  | 'text'
  | 'bool'
  | 'date'
  | 'timestamptz'
  | 'uuid'
  | 'jsonb'
  | 'words'
  | 'mood';

export interface Reference {
  readonly table: string;
  /** Columns of the source table by columns of the target table. */
  readonly on: Readonly<Record<string, string>>;
}

/** A table as the role sees it. */
export interface Shape {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Kind>>;
  readonly objects: Readonly<Record<string, Reference>>;
  readonly arrays: Readonly<Record<string, Reference>>;
  readonly rowLimit: number | undefined;
}

export const shapes: Readonly<Record<string, Shape>> = {
  team: {
    name: 'team',
    key: ['id'],
    columns: { id: 'int', name: 'text', region: 'text', budget: 'numeric' },
    objects: {},
    arrays: {
      people: { table: 'person', on: { id: 'team_id' } },
      memberships: { table: 'membership', on: { id: 'team_id' } },
    },
    rowLimit: undefined,
  },
  person: {
    name: 'person',
    key: ['id'],
    columns: {
      ...{ id: 'int', team_id: 'int', manager_id: 'int', name: 'text', age: 'int', score: 'numeric', big: 'bigint' },
      ...{ active: 'bool', born: 'date', seen: 'timestamptz', tags: 'words', profile: 'jsonb', feel: 'mood' },
      ident: 'uuid',
    },
    objects: {
      team: { table: 'team', on: { team_id: 'id' } },
      manager: { table: 'person', on: { manager_id: 'id' } },
    },
    arrays: {
      reports: { table: 'person', on: { id: 'manager_id' } },
      tasks: { table: 'task', on: { id: 'person_id' } },
      memberships: { table: 'membership', on: { id: 'person_id' } },
    },
    rowLimit: undefined,
  },
  task: {
    name: 'task',
    key: ['id'],
    columns: { id: 'int', person_id: 'int', title: 'text', points: 'int', done: 'bool', weight: 'float' },
    objects: { person: { table: 'person', on: { person_id: 'id' } } },
    arrays: {},
    rowLimit: 6,
  },
  membership: {
    name: 'membership',
    key: ['person_id', 'team_id'],
    columns: { person_id: 'int', team_id: 'int', level: 'int', since: 'date', until: 'date' },
    objects: {
      person: { table: 'person', on: { person_id: 'id' } },
      team: { table: 'team', on: { team_id: 'id' } },
    },
    arrays: {},
    rowLimit: undefined,
  },
};

/** One hidden column of each table, and hidden tables. */
export const hiddenColumns = { team: 'note', person: 'secret', task: 'hush', membership: 'remark' } as const;
export const hiddenTables = ['vault', 'gate'] as const;

export interface Caller {
  readonly role: 'user' | 'inherited';
  readonly user: number;
  readonly teams: readonly number[];
  readonly level: number;
}

export const callers: readonly Caller[] = [
  { role: 'user', user: 1, teams: [1, 2, 3], level: 3 },
  { role: 'user', user: 7, teams: [4], level: 1 },
  { role: 'user', user: 12, teams: [], level: 0 },
];

/** Callers with the inherited role, which sees some columns in some rows only. */
export const inheritingCallers: readonly Caller[] = callers.map((caller) => ({ ...caller, role: 'inherited' }));

export function sessionOf({ user, teams, level }: Caller): Readonly<Record<string, string>> {
  return {
    'x-service-user-id': String(user),
    'x-service-teams': `{${teams.join()}}`,
    'x-service-level': String(level),
  };
}

/** Text is sorted by its bytes, as in JavaScript. */
const tables = `
  create type mood as enum ('calm', 'cross', 'glad');
  create table team (id int primary key, name text collate "C", region text collate "C", budget numeric(9,2), note text);
  create table person (
    id int primary key, team_id int references team, manager_id int references person, name text collate "C", age int,
    score numeric(6,2), big bigint, active bool, born date, seen timestamptz, tags text[], profile jsonb, feel mood,
    ident uuid, secret text not null
  );
  create table task (
    id int primary key, person_id int references person, title text collate "C", points int, done bool, weight float8,
    hush bool
  );
  create table membership (
    person_id int references person, team_id int references team, level int not null, since date, until date,
    remark text, primary key (person_id, team_id)
  );
  create table vault (id int primary key, person_id int references person, content text);
  create table gate (id int primary key, open bool not null, level int not null, sign text);
  create table note (
    id int primary key, owner int not null, body text collate "C" unique, size int check (size < 1000),
    secret text default '${MARKER} note'
  );
`;

const rows = `
  insert into team select n, case when n <= 4 then 'team ' || chr(96 + n) else '${MARKER} team ' || n end,
    case n % 3 when 0 then 'north' when 1 then 'south' end, n * 100.25, '${MARKER} note ' || n
    from generate_series(1, 8) n;
  insert into person select n, nullif(1 + n % 9, 9), case when n > 3 then n / 3 end,
    case when 1 + n % 9 between 5 and 8 and n not in (7, 12) and (n <= 3 or n / 3 not in (1, 7, 12))
      then '${MARKER} person ' || n
      else (array['Ann', 'bob', 'Cy', 'dee', 'Eve', 'a_b', 'x%y'])[1 + n % 7] || n / 4 end,
    nullif(20 + n % 6, 25), (n * 37 % 50) * 1.25, n::bigint * 1000000007, nullif(n % 3, 0) = 1,
    date '1990-01-31' + n % 10 * 30, timestamptz '2024-03-01 10:00:00+00' + n % 8 * interval '1 hour',
    case when n % 4 > 0 then (array['red', 'green', 'blue', ''])[1 : n % 4] end,
    case n % 5
      when 0 then null when 1 then '{"a": 1, "b": {"c": ["x", null]}}' when 2 then '["a", "z", {"a": 1}]'
      when 3 then '{"a": "one", "d": false}' else jsonb_build_object('a', n % 2, 'b', '{}'::jsonb) end,
    (array['calm', 'cross', 'glad', null])[1 + n % 4]::mood,
    case when n % 6 > 0 then ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid end, '${MARKER} secret ' || n
    from generate_series(1, 48) n;
  insert into task select n, 1 + n % 48,
    case when n % 7 = 0 then '${MARKER} task ' else (array['Mop', 'sweep', 'Dust'])[1 + n % 3] || ' ' end || n % 10,
    nullif(n % 12, 11), n % 3 = 0, (n % 9) / 4.0, case when n % 7 = 0 then n % 2 = 0 or null when n % 13 > 0 then false end
    from generate_series(1, 150) n;
  insert into membership select p, t, (p + t) % 5, date '2020-01-01' + p, date '2020-01-01' + nullif(p * t % 60, 7),
    '${MARKER} remark' from generate_series(1, 48, 2) p, generate_series(1, 8, 2) t;
  insert into vault select n, n, '${MARKER} content ' || n from generate_series(1, 48) n;
  insert into gate values (1, true, 2, '${MARKER} sign'), (2, false, 0, '${MARKER} sign');
`;

/** The rows and columns that the role may see, as SQL views. */
const views = `
  create schema visible;
  create function visible.caller() returns int language sql stable as $$ select current_setting('fuzz.user')::int $$;
  create function visible.teams() returns int[] language sql stable as $$ select current_setting('fuzz.teams')::int[] $$;
  create function visible.level() returns int language sql stable as $$ select current_setting('fuzz.level')::int $$;
  create view visible.team as select id, name, region, budget from team where id = any (visible.teams());
  create view visible.person as
    select ${Object.keys(shapes.person?.columns ?? {}).join(', ')} from person
    where team_id = any (visible.teams()) or id = visible.caller() or manager_id = visible.caller();
  create view visible.task as
    select task.id, person_id, title, points, done, weight from task join person on person.id = person_id
    where team_id = any (visible.teams()) and hush = false;
  create view visible.membership as
    select person_id, team_id, membership.level, since, until from membership
    where membership.level <= visible.level() and since < until
      and exists (select from gate where open and gate.level <= visible.level());
`;

export const fuzzSql = tables + rows + views + inheritedViews;

const table = 'table';
const object = (name: string, reference: Reference) => ({ name, using: manual(reference) });
const manual = ({ table: remote, on }: Reference) => ({
  manual_configuration: { remote_table: remote, column_mapping: on },
});
const compare = (operator: string, value: unknown) => ({ [operator]: value });
const ownNotes = { owner: compare('_eq', 'X-Service-User-Id') };
const inTeams = compare('_in', 'X-Service-Teams');

const filters: Readonly<Record<string, unknown>> = {
  team: { id: inTeams },
  person: {
    _or: [
      { team_id: inTeams },
      { id: compare('_eq', 'X-Service-User-Id') },
      { manager: { id: compare('_eq', 'X-Service-User-Id') } },
    ],
  },
  task: { _and: [{ person: { team: { id: inTeams } } }, { _not: { hush: compare('_neq', false) } }] },
  membership: {
    level: compare('_lte', 'X-Service-Level'),
    since: compare('_clt', 'until'),
    _exists: { _table: 'gate', _where: { open: compare('_eq', true), level: compare('_lte', 'X-Service-Level') } },
  },
};

/** Returns the metadata of a table. */
function entryOf(shape: Shape): unknown {
  const permission = {
    columns: Object.keys(shape.columns),
    filter: filters[shape.name],
    allow_aggregations: true,
    ...(shape.rowLimit !== undefined && { limit: shape.rowLimit }),
  };
  return {
    [table]: shape.name,
    object_relationships: Object.entries(shape.objects).map(([name, reference]) => object(name, reference)),
    array_relationships: [
      ...Object.entries(shape.arrays).map(([name, reference]) => object(name, reference)),
      ...(shape.name === 'person' ? [object('vaults', { table: 'vault', on: { id: 'person_id' } })] : []),
    ],
    select_permissions: [{ role: 'user', permission }, ...parentPermissions(shape)],
  };
}

const noteColumns = ['id', 'owner', 'body', 'size'];

export const fuzzMetadata = {
  inherited_roles: [inheritedRole],
  sources: [
    {
      name: 'default',
      tables: [
        ...Object.values(shapes).map(entryOf),
        ...hiddenTables.map((name) => ({ table: name })),
        {
          table: 'note',
          select_permissions: [{ role: 'user', permission: { columns: noteColumns, filter: ownNotes } }],
          insert_permissions: [{ role: 'user', permission: { columns: noteColumns, check: ownNotes } }],
          update_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['owner', 'body', 'size'],
                filter: ownNotes,
                check: { size: compare('_lte', 100) },
              },
            },
          ],
          delete_permissions: [{ role: 'user', permission: { filter: { ...ownNotes, size: compare('_gt', 0) } } }],
        },
      ],
    },
  ],
};

export type Row = Readonly<Record<string, unknown>>;

/** The rows that the caller may see, by table. */
export type VisibleRows = Readonly<Record<string, readonly Row[]>>;

export async function readVisibleRows(database: Database, caller: Caller): Promise<VisibleRows> {
  return database.transaction(async (query) => {
    const settings = [String(caller.user), `{${caller.teams.join()}}`, String(caller.level)];
    const text =
      "select set_config('fuzz.user', $1, true), set_config('fuzz.teams', $2, true), set_config('fuzz.level', $3, true)";
    await query({ text, values: settings });
    const rowsOf: Record<string, readonly Row[]> = {};
    for (const { name } of Object.values(shapes)) {
      const schema = caller.role === 'user' ? 'visible' : 'inherited';
      const list = await query({ text: `select coalesce(json_agg(t), '[]') from ${schema}.${name} t`, values: [] });
      rowsOf[name] = JSON.parse(list.rows[0]?.[0] ?? '[]') as readonly Row[];
    }
    return rowsOf;
  });
}
