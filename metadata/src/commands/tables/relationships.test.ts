/** Tests of the names that relationships and computed fields of one table share. */
import { expect, test } from 'vitest';
import { emptyMetadata, type Metadata } from '../../metadata.ts';
import { runEdit } from '../edit/command.ts';
import { commands } from '../registry.ts';

type Call = readonly [type: string, args: object];

function run(calls: readonly Call[]): Metadata {
  return calls.reduce((metadata, [type, args]) => {
    const command = commands.get(type);
    if (command === undefined) throw new Error(`no command ${type}`);
    return runEdit(command, { table: 'article', ...args }, metadata);
  }, emptyMetadata);
}

const using = { foreign_key_constraint_on: 'author_id' };
const toAuthor: Call = ['create_object_relationship', { name: 'author', using }];
const label: Call = ['add_computed_field', { name: 'label', definition: { function: 'label' } }];
const joined = {
  to_source: { source: 'default', table: 'a', relationship_type: 'object', field_mapping: { id: 'id' } },
};

test.each<Call>([
  ['create_object_relationship', { name: 'label', using }],
  ['create_array_relationship', { name: 'label', using }],
  ['create_remote_relationship', { name: 'label', definition: joined }],
  ['rename_relationship', { name: 'author', new_name: 'label' }],
  label,
])('%s %j: the name of a computed field is rejected with already-exists', (...call) => {
  expect(() => run([['track_table', {}], toAuthor, label, call])).toThrow(
    expect.objectContaining({
      code: 'already-exists',
      path: 'new_name' in call[1] ? '$.new_name' : '$.name',
      message: 'computed field "label" already exists on table "article"',
    }),
  );
});

test.each(['relationship', 'name'])('set_relationship_comment reports an unknown relationship at %s', (argument) => {
  const call: Call = ['set_relationship_comment', { [argument]: 'editor', comment: 'c' }];
  expect(() => run([['track_table', {}], call])).toThrow(
    expect.objectContaining({ code: 'not-exists', path: `$.${argument}` }),
  );
});
