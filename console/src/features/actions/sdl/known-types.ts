/** Types that actions can use: of GraphQL, PostgreSQL, tracked tables, and custom ones. */
import type { Client } from '../../../api/client.ts';
import type { CustomTypes } from '../actions-api.ts';

/** `row` is the type of table rows, which cannot be an output type. */
export type NamedKind = 'scalar' | 'enum' | 'input' | 'object' | 'interface' | 'union' | 'row';

export type KnownTypes = ReadonlyMap<string, NamedKind>;

/** Scalars of every PostgreSQL, by their GraphQL names. */
const scalars = [
  'Int Float String Boolean ID',
  'smallint int2 int int4 integer bigint int8 numeric decimal real float4 float8 money oid',
  'text varchar bpchar name citext bool boolean uuid json jsonb bytea bit varbit xml',
  'date time timetz timestamp timestamptz interval inet cidr macaddr macaddr8',
  'int4range int8range numrange daterange tsrange tstzrange tsvector tsquery',
  'point line lseg box path polygon circle geometry geography raster ltree lquery ltxtquery hstore',
]
  .join(' ')
  .split(' ');

/** A lower-case name can be a database type. */
export function isPossiblyPostgres(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name);
}

/** Merges types. Later ones take precedence. */
export function knownTypes(database: KnownTypes, types: CustomTypes): KnownTypes {
  return new Map<string, NamedKind>([
    ...scalars.map((name) => [name, 'scalar'] as const),
    ...database,
    ...customKinds(types),
  ]);
}

function customKinds(types: CustomTypes): readonly (readonly [string, NamedKind])[] {
  const all = (list: readonly { readonly name: string }[] | null | undefined, kind: NamedKind) =>
    (list ?? []).map(({ name }) => [name, kind] as const);
  return [
    ...all(types.scalars, 'scalar'),
    ...all(types.enums, 'enum'),
    ...all(types.input_objects, 'input'),
    ...all(types.objects, 'object'),
    ...all(types.interfaces, 'interface'),
    ...all(types.unions, 'union'),
  ];
}

interface IntrospectionResponse {
  readonly data?: {
    readonly __schema: { readonly types: readonly { readonly name: string; readonly kind: string }[] };
  };
}

/** Reads scalars, enums and row types from the schema of admin. */
export async function readDatabaseTypes(client: Client, signal: AbortSignal): Promise<KnownTypes> {
  const body = JSON.stringify({ query: '{ __schema { types { name kind } } }' });
  const { body: response } = await client.post('/v1/graphql', body, {}, signal);
  const types = (response as IntrospectionResponse).data?.__schema.types ?? [];
  return new Map(
    types.flatMap(({ name, kind }): readonly (readonly [string, NamedKind])[] => {
      if (kind === 'SCALAR') return [[name, 'scalar']];
      if (kind === 'ENUM' && /(?:_enum|Enum)$/.test(name)) return [[name, 'enum']];
      if (kind === 'OBJECT' && !name.startsWith('__') && !/^(query|mutation|subscription)_root$/.test(name)) {
        return [[name, 'row']];
      }
      return [];
    }),
  );
}
