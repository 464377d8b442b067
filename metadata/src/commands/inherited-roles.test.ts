/** Tests of inherited roles that the command rejects. */
import { expect, test } from 'vitest';
import { emptyMetadata } from '../metadata.ts';
import { runEdit } from './edit/command.ts';
import { addInheritedRole } from './inherited-roles.ts';

test('an inherited role that is one of its parents is rejected', () => {
  const role = { role_name: 'both', role_set: ['one', 'both'] };
  expect(() => runEdit(addInheritedRole, role, emptyMetadata)).toThrow(
    expect.objectContaining({ code: 'invalid-params', path: '$.role_set' }),
  );
});
