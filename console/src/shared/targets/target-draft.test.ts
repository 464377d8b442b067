import { CallTarget } from '@joinery/metadata/schema/events/targets';
import { expect, test } from 'vitest';
import { emptyTarget, readTarget, suggestedInputs, targetDraftOf, targetErrors } from './target-draft.ts';

const operation = {
  collection: 'shop',
  name: 'add_invoice',
  role: 'clerk',
  session_variables: { 'x-hasura-user-id': '{{$body.payload.owner}}' },
  variables: { order: '{{$body.payload.order}}', lines: [1, 2] },
};
const called = { source: 'other', function: { schema: 'shop.eu', name: 'close.month' }, arguments: { month: 'May' } };

test.each([
  [{ operation }],
  [{ operation: { collection: 'shop', name: 'list', role: 'admin' } }],
  [{ operation: { ...operation, variables: '{"order":{{$body.payload.order}}}' } }],
  [{ function: called }],
  [{ function: { function: { schema: 'public', name: 'close_month' } } }],
])('the draft of %j has all its members', (target) => {
  const draft = targetDraftOf(target);
  expect(readTarget(draft)).toEqual(target);
  expect(targetErrors(draft)).toEqual({});
});

test('a function without a schema is in the schema public', () => {
  const draft = targetDraftOf({ function: { function: 'close_month' } });
  expect(readTarget(draft)).toEqual({ function: { function: { schema: 'public', name: 'close_month' } } });
  expect(readTarget({ ...draft, schema: ' ' })).toEqual(readTarget(draft));
});

test('an invalid target has an empty draft', () => {
  expect(targetDraftOf({ operation: 7 })).toEqual(emptyTarget);
});

test('rows without a name and a value are no session variables', () => {
  const session = [
    { key: 0, name: '', text: '' },
    { key: 1, name: ' x-hasura-user-id ', text: '7' },
  ];
  const read = CallTarget.parse(readTarget({ ...targetDraftOf({ operation }), session }));
  expect(read.operation?.session_variables).toEqual({ 'x-hasura-user-id': '7' });
});

test.each([
  [{ ...targetDraftOf({ operation }), collection: '' }, 'target.collection'],
  [{ ...targetDraftOf({ operation }), name: '' }, 'target.name'],
  [{ ...targetDraftOf({ operation }), role: '' }, 'target.role'],
  [{ ...targetDraftOf({ operation }), inputs: '{' }, 'target.inputs'],
  [{ ...targetDraftOf({ operation }), inputs: '[1]' }, 'target.inputs'],
  [{ ...targetDraftOf({ function: called }), called: '' }, 'target.called'],
  [{ ...targetDraftOf({ function: called }), inputs: 'now' }, 'target.inputs'],
])('the error of %j is at %s', (draft, field) => {
  expect(Object.keys(targetErrors(draft))).toEqual([field]);
});

test('suggests a value of the same name for each input', () => {
  expect(JSON.parse(suggestedInputs(['order', 'total'], '$body.payload'))).toEqual({
    order: '{{$body.payload.order}}',
    total: '{{$body.payload.total}}',
  });
  expect(suggestedInputs([], '$body.payload')).toBe('');
  expect(suggestedInputs(['order'], undefined)).toBe('');
});
