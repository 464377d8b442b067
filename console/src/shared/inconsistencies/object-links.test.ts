import { expect, test } from 'vitest';
import { stepsOf } from './json-path.ts';
import { linkOfObject } from './object-links.ts';

const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'plain', event_triggers: [{ name: 'welcome' }] },
        { table: { schema: 'shop', name: 'odd/name' } },
      ],
    },
    { name: 'far', tables: [] },
  ],
  actions: [{ name: 'placeOrder' }],
  remote_schemas: [{ name: 'far away' }],
  cron_triggers: [{ name: 'nightly' }],
};

test.each([
  ['$.sources[0].tables[0]', '/data/default/public/plain/structure'],
  ['$.sources[0].tables[1].select_permissions[0].permission.columns[1]', '/data/default/shop/odd%2Fname/permissions'],
  ['$.sources[0].tables[1].array_relationships[2]', '/data/default/shop/odd%2Fname/relationships'],
  ['$.sources[0].tables[0].event_triggers[0].webhook', '/events/triggers/of/default/welcome/definition'],
  ['$.sources[1]', '/data/far'],
  ['$.sources[1].functions[0]', '/data/far'],
  ['$.sources[1].native_queries[0]', '/data/far/native-queries'],
  ['$.sources[1].logical_models[0].select_permissions[1]', '/data/far/native-queries'],
  ['$.actions[0].definition.output_type', '/actions/of/placeOrder'],
  ['$.custom_types.objects[0]', '/actions'],
  ['$.remote_schemas[0].permissions[0]', '/remotes/of/far%20away'],
  ['$.cron_triggers[0]', '/events/cron/edit:nightly'],
  ['$.rest_endpoints[0]', '/operations/endpoints'],
  ['$.sources[7].tables[0]', undefined],
  ['$.inherited_roles[0]', undefined],
])('links the object %s to %s', (path, to) => {
  expect(linkOfObject(path, metadata)?.to).toBe(to);
});

test('parses a path into names and indexes, also quoted names', () => {
  expect(stepsOf('$.a[3]["odd \\"name\\""].b')).toEqual(['a', 3, 'odd "name"', 'b']);
  expect(stepsOf('$')).toEqual([]);
});
