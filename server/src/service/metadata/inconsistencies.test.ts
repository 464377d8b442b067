/** Tests of the names of dependent objects in errors. */
import { expect, test } from 'vitest';
import { dependencyError } from './inconsistencies.ts';

test.each([
  ['object_relation', 'author in table article', 'relationship article.author'],
  ['array_relation', 'tags in native_query rated', 'relationship rated.tags'],
  ['computed_field', 'label in table shop.author', 'computed field shop.author.label'],
  ['remote_relationship', 'parcel in table article', 'remote relationship article.parcel'],
  ['insert_permission', 'user in table article', 'permission article.user.insert'],
  ['select_permission', 'user in logical_model rated', 'permission rated.user.select'],
  ['update_permission', 'user in table article', 'permission article.user.update'],
  ['delete_permission', 'user in table article', 'permission article.user.delete'],
  ['event_trigger', 'changed in table article', 'event-trigger article.changed'],
  ['function', 'search', 'function search'],
])('a dependent %s, %s, has the name of Hasura v2', (type, object, name) => {
  const dependent = { type, name: `${type} ${object} in source default`, path: '$', reason: '', definition: null };
  const { message } = dependencyError([{ ...dependent, code: 'not-exists' }]);
  expect(message).toBe(`cannot drop due to the following dependent objects: ${name} in source "default"`);
});
