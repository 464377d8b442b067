/** The root fields of Apollo Federation v1: `_service` with the SDL of the role, and `_entities` by their primary keys. */
import {
  type DocumentNode,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql';
import { selectAccess } from '../model/permissions/access.ts';
import type { Table } from '../model/types/table.ts';
import { bound, type EntityTable, readWhenRun } from './binding.ts';
import { rowType } from './output-types.ts';
import type { TypeRegistry } from './registry.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The names that are in no SDL: a gateway adds them itself. */
const service = '_service';
const entities = '_entities';
const ownTypes: ReadonlySet<string> = new Set(['_Service', '_Entity', '_Any']);

/** The two fields; none where federation is off. A role that may not read the schema has no `_service`. */
export function federationRoots(registry: TypeRegistry): Fields {
  const { model, role } = registry;
  if (!model.apolloFederation) return {};
  const tables = entityTables(registry);
  return {
    ...(!model.unreadable.has(role) && {
      [service]: {
        type: new GraphQLNonNull(registry.named('_Service', () => serviceType)),
        extensions: bound({ kind: 'service', tables }),
      },
    }),
    ...(tables.length > 0 && {
      [entities]: {
        type: new GraphQLNonNull(new GraphQLList(entityUnion(registry, tables))),
        args: {
          representations: {
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(registry.scalar('_Any')))),
            extensions: readWhenRun,
          },
        },
        extensions: bound({ kind: 'entities', tables }),
      },
    }),
  };
}

const serviceType = new GraphQLObjectType({
  name: '_Service',
  fields: { sdl: { type: new GraphQLNonNull(GraphQLString), description: 'SDL representation of schema' } },
});

function entityUnion(registry: TypeRegistry, tables: readonly EntityTable[]): GraphQLUnionType {
  const types = (): GraphQLObjectType[] => tables.flatMap(({ table }) => rowType(registry, table) ?? []);
  return registry.named('_Entity', () => {
    return new GraphQLUnionType({
      name: '_Entity',
      description: 'A union of all types that use the @key directive',
      types,
    });
  });
}

/** The tables with `apollo_federation_config` whose primary key the role may select. */
function entityTables(registry: TypeRegistry): readonly EntityTable[] {
  const found: EntityTable[] = [];
  for (const { tables } of registry.model.sources.values()) {
    for (const table of tables.values()) {
      const access = selectAccess(table, registry.role);
      const type = rowType(registry, table);
      if (table.isEntity !== true || access === undefined || type === undefined) continue;
      const { primaryKey = [] } = table;
      const seesKey = primaryKey.length > 0 && primaryKey.every((column) => access.columns.has(column));
      if (seesKey) found.push({ table, access, type, typeName: type.name });
    }
  }
  return found;
}

const printed = new WeakMap<GraphQLSchema, string>();

/** Returns the schema without the fields of federation; `@key` marks the types of `tables`. Cached by schema. */
export function serviceSdl(schema: GraphQLSchema, tables: readonly EntityTable[]): string {
  const known = printed.get(schema);
  if (known !== undefined) return known;
  const document = parse(printSchema(schema), { noLocation: true });
  const keys = new Map(tables.map(({ table, typeName }) => [typeName, keyFields(table)]));
  const query = schema.getQueryType()?.name;
  const definitions = document.definitions.flatMap((one): DocumentNode['definitions'] => {
    if (one.kind === Kind.DIRECTIVE_DEFINITION) return [];
    if ('name' in one && ownTypes.has(one.name?.value ?? '')) return [];
    if (one.kind !== Kind.OBJECT_TYPE_DEFINITION) return [one];
    return [withKey(one.name.value === query ? withoutOwnFields(one) : one, keys.get(one.name.value))];
  });
  const sdl = print({ kind: Kind.DOCUMENT, definitions });
  printed.set(schema, sdl);
  return sdl;
}

function keyFields({ primaryKey = [] }: Table): string {
  return primaryKey.map(({ field }) => field).join(' ');
}

function withoutOwnFields(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  return {
    ...type,
    fields: type.fields?.filter(({ name }) => name.value !== service && name.value !== entities) ?? [],
  };
}

function withKey(type: ObjectTypeDefinitionNode, fields: string | undefined): ObjectTypeDefinitionNode {
  if (fields === undefined) return type;
  const value = { kind: Kind.STRING, value: fields } as const;
  const argument = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'fields' }, value } as const;
  const key = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'key' }, arguments: [argument] } as const;
  return { ...type, directives: [...(type.directives ?? []), key] };
}
