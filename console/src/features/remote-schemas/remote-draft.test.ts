import { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import { expect, test } from 'vitest';
import { emptyRemoteDraft, remoteDefinitionFrom, remoteDraftOf, remoteSchemaErrors } from './remote-draft.ts';

test('an unchanged form preserves a remote schema', () => {
  const definition = {
    url_from_env: 'CARRIER',
    headers: [{ name: 'Authorization', value_from_env: 'TOKEN' }],
    forward_client_headers: true,
    timeout_seconds: 5,
    customization: {
      root_fields_namespace: 'shipping',
      type_names: { prefix: 'Carrier', mapping: { Parcel: 'Package' } },
      field_names: [{ parent_type: 'Parcel', mapping: { code: 'number' } }],
    },
    later: 'kept',
  };
  const draft = remoteDraftOf({ name: 'carrier', definition, state: undefined } as never);
  expect(remoteDefinitionFrom(draft, definition as never)).toEqual(definition);
});

test('a form with a URL only produces a valid definition', () => {
  const made = remoteDefinitionFrom({ ...emptyRemoteDraft, address: ' http://x ' });
  expect(made).toEqual({ url: 'http://x', forward_client_headers: false, timeout_seconds: 60 });
  expect(RemoteSchemaDefinition.safeParse(made).success).toBe(true);
});

test('removes an emptied customization', () => {
  const before = { url: 'http://x', customization: { root_fields_namespace: 'a' } };
  const draft = remoteDraftOf({ name: 'x', definition: before, state: undefined });
  expect(remoteDefinitionFrom({ ...draft, namespace: '' }, before)).not.toHaveProperty('customization');
});

test('reports invalid numbers and JSON', () => {
  const invalid = { ...emptyRemoteDraft, timeout: '0', typePrefix: 'a-b', fieldNames: '[' };
  expect(remoteSchemaErrors(invalid)).toMatchObject({
    name: 'Must not be empty.',
    address: 'Must not be empty.',
    timeout: 'Must be a whole number of seconds.',
    typePrefix: 'Must be made of letters, digits and underscores.',
  });
  expect(Object.keys(remoteSchemaErrors(invalid))).toContain('fieldNames');
  const valid = {
    ...emptyRemoteDraft,
    name: 'shop',
    address: 'http://shop',
    fieldNames: '[{"parent_type": "Parcel"}]',
  };
  expect(remoteSchemaErrors(valid)).toEqual({});
  expect(Object.keys(remoteSchemaErrors({ ...valid, fieldNames: '[{}]' }))).toEqual(['fieldNames']);
});
