/** Tests of the views of roles: permissions in the metadata, and those that conflict. */
import { Metadata } from '@joinery/metadata/metadata';
import { RemoteSchemaName, RoleName } from '@joinery/metadata/names';
import { buildSchema, printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Model } from '../model.ts';
import { resolve } from '../resolve.ts';

/** The permissions of each role by remote schema, in the order of the metadata. */
type Permissions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const page = 'type Page { next: String secret: String }';
const schemas: Readonly<Record<string, string>> = {
  first: `type Query { first: Page version: String } ${page}`,
  second: `type Query { second: Page } ${page}`,
  third: `type Query { third: Page } ${page}`,
  parts: `type Query { version: String find(by: By): String item: Item } ${page} input By { name: String } enum Size { S }
    interface Node { id: ID } type Item implements Node { id: ID name: String } union Any = Page | Item`,
};

function resolved(
  permissions: Permissions,
  more: { readonly inherited_roles?: unknown; readonly enabled?: boolean } = {},
) {
  return resolve({
    version: 1,
    metadata: Metadata.parse({
      version: 3,
      sources: [],
      remote_schemas: Object.entries(permissions).map(([name, byRole]) => ({
        name,
        definition: {
          url: 'http://127.0.0.1/',
          ...(name === 'third' && { customization: { type_names: { prefix: 'T' } } }),
        },
        permissions: Object.entries(byRole).map(([role, schema]) => ({ role, definition: { schema } })),
      })),
      ...(more.inherited_roles !== undefined && { inherited_roles: more.inherited_roles }),
    }),
    catalogs: new Map(),
    upstreams: new Map(Object.entries(schemas).map(([name, sdl]) => [RemoteSchemaName.parse(name), buildSchema(sdl)])),
    environment: {},
    sessionPrefix: 'x-service-',
    remoteSchemaPermissions: more.enabled ?? true,
  });
}

const viewsOf = (model: Model, name: string) => model.remoteSchemas.get(RemoteSchemaName.parse(name))?.permissions;
const viewOf = (model: Model, name: string, role: string) => viewsOf(model, name)?.get(RoleName.parse(role));
const rolesOf = (model: Model, name: string) => [...(viewsOf(model, name)?.keys() ?? [])];

const some = 'type Query { first: Page } type Page { next: String }';
const all = 'type Query { first: Page } type Page { next: String secret: String }';
const someOfSecond = some.replace('first', 'second');

describe('the view of a role', () => {
  test('has the permitted part', () => {
    const model = resolved({ first: { user: some } });
    expect(model.inconsistencies).toEqual([]);
    const view = viewOf(model, 'first', 'user');
    expect(view && printSchema(view)).toBe(printSchema(buildSchema(some)));
    expect(rolesOf(model, 'first')).toEqual(['user']);
  });

  test('has the customized names', () => {
    const view = viewOf(resolved({ third: { user: some.replace('first', 'third') } }), 'third', 'user');
    expect(view?.getType('TPage')).toBeDefined();
    expect(view?.getType('Page')).toBeUndefined();
  });

  test('is shared by roles whose permissions have the same meaning', () => {
    const model = resolved({
      first: { user: some, reader: 'type Page { next: String } type Query { first: Page }', other: all },
    });
    const view = viewOf(model, 'first', 'user');
    expect(view).toBeDefined();
    expect(viewOf(model, 'first', 'reader')).toBe(view);
    expect(viewOf(model, 'first', 'other')).not.toBe(view);
  });

  test('does not exist if permissions are not enabled', () => {
    const model = resolved({ first: { user: some } }, { enabled: false });
    expect(model.remoteSchemas.size).toBe(1);
    expect(viewsOf(model, 'first')).toBeUndefined();
  });

  test('does not exist for an invalid permission, which is reported', () => {
    const model = resolved({ first: { user: some, reader: 'type Query { none: Int }' } });
    expect(rolesOf(model, 'first')).toEqual(['user']);
    expect(model.inconsistencies).toEqual([
      {
        type: 'remote_schema_permission',
        name: 'permission for role reader in remote schema first',
        path: '$.remote_schemas[0].permissions[1].definition.schema',
        code: 'validation-failed',
        reason:
          'the schema for role "reader" is not part of remote schema "first": field "none" of type "Query" is not in the remote schema; use one of "first", "version"',
        definition: { role: 'reader', definition: { schema: 'type Query { none: Int }' } },
      },
    ]);
  });

  test.each([
    ['an enum without values', 'enum Size', 'type "Size" has no values'],
    ['a type without fields', 'type Page', 'type "Page" has no fields'],
    ['an interface without fields', 'interface Node', 'type "Node" has no fields'],
    ['a union without members', 'union Any', 'type "Any" has no members'],
    ['an input object without fields', 'input By', 'type "By" has no fields'],
  ])('does not exist for %s', (_what, sdl, error) => {
    const model = resolved({ parts: { user: `type Query { version: String } ${sdl}` } });
    expect(rolesOf(model, 'parts')).toEqual([]);
    expect(model.inconsistencies).toMatchObject([
      {
        code: 'validation-failed',
        reason: `the schema for role "user" is not part of remote schema "parts": ${error}`,
      },
    ]);
  });

  test('may have an input object whose fields all have presets', () => {
    const sdl = 'type Query { version: String find(by: By): String } input By { name: String @preset(value: "a") }';
    const model = resolved({ parts: { user: sdl } });
    expect(model.inconsistencies).toEqual([]);
    expect(rolesOf(model, 'parts')).toEqual(['user']);
  });

  test('may have objects without the fields of their interfaces', () => {
    const sdl = 'type Query { version: String } interface Node { id: ID } type Item implements Node { name: String }';
    expect(rolesOf(resolved({ parts: { user: sdl } }), 'parts')).toEqual(['user']);
  });
});

describe('a type of two remote schemas', () => {
  test('is equal in the views of a role', () => {
    const model = resolved({ first: { user: some, other: all }, second: { user: someOfSecond } });
    expect(model.inconsistencies).toEqual([]);
    expect([rolesOf(model, 'first'), rolesOf(model, 'second')]).toEqual([['user', 'other'], ['user']]);
  });

  test('drops the later of two permissions in which it differs', () => {
    const model = resolved({ first: { user: all }, second: { reader: someOfSecond, user: someOfSecond } });
    expect([rolesOf(model, 'first'), rolesOf(model, 'second')]).toEqual([['user'], ['reader']]);
    expect(model.inconsistencies).toEqual([
      {
        type: 'remote_schema_permission',
        name: 'permission for role user in remote schema second',
        path: '$.remote_schemas[1].permissions[1].definition.schema',
        code: 'remote-schema-conflicts',
        reason:
          'of remote schema "second" type "Page" differs from the one that role "user" sees of remote schema "first"; give both the same fields, or rename the type by "customization"',
        definition: { role: 'user', definition: { schema: someOfSecond } },
      },
    ]);
  });

  test('drops the later permission also if it is the first one of its remote schema', () => {
    const { inconsistencies } = resolved({ first: { user: all }, second: { user: someOfSecond } });
    expect(inconsistencies).toMatchObject([
      { type: 'remote_schema_permission', path: '$.remote_schemas[1].permissions[0].definition.schema' },
    ]);
  });

  test('may differ if it has different names', () => {
    const model = resolved({ first: { user: all }, third: { user: some.replace('first', 'third') } });
    expect(model.inconsistencies).toEqual([]);
  });

  test('may differ if permissions are not enabled', () => {
    const model = resolved({ first: { user: all }, second: { user: someOfSecond } }, { enabled: false });
    expect(model.inconsistencies).toEqual([]);
  });

  test('drops an inherited permission in which it differs', () => {
    const inherited_roles = [
      { role_name: 'unused', role_set: ['one'] },
      { role_name: 'both', role_set: ['one', 'two'] },
    ];
    const model = resolved({ first: { one: all }, second: { two: someOfSecond } }, { inherited_roles });
    expect(rolesOf(model, 'second')).toEqual(['two']);
    expect(model.inconsistencies).toEqual([
      {
        type: 'inherited_role_permission',
        name: 'both: permission on remote schema "second"',
        path: '$.inherited_roles[1].role_set',
        code: 'remote-schema-conflicts',
        reason:
          'inherited role "both" has no permission on remote schema "second": of it type "Page" differs from the one that role "both" sees of remote schema "first"; give both the same fields, or rename the type by "customization"',
        definition: inherited_roles[1],
      },
    ]);
  });
});
