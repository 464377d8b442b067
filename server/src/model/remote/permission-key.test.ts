/** Tests of the key by which permissions with the same meaning share a view. */
import { expect, test } from 'vitest';
import { permission, postsBy, userBy, version } from '../../../test/support/model/permitted-schema.ts';
import { permissionKey } from './permissions.ts';

const keyOf = (sdl: string) => permissionKey(permission(sdl).permitted);
const preset = (value: string) => postsBy(`where: Filter @preset(value: ${value})`);

test.each([
  ['types', `${version} enum Size { S }`, `enum Size { S } ${version}`],
  ['fields', `${version} type Post { id: ID! at: Moment }`, `${version} type Post { at: Moment id: ID! }`],
  ['arguments', postsBy('by: ID, first: Int'), postsBy('first: Int, by: ID')],
  [
    'presets',
    userBy('id: ID! @preset(value: 1), top: Int! @preset(value: 2)'),
    userBy('top: Int! @preset(value: 2), id: ID! @preset(value: 1)'),
  ],
  ['values', `${version} enum Size { S M }`, `${version} enum Size { M S }`],
  [
    'members of session presets',
    preset('{ text: "x-service-a", tags: "x-service-b" }'),
    preset('{ tags: "x-service-b", text: "x-service-a" }'),
  ],
  ['built-in scalars', `${version} scalar Int`, version],
])('permissions that differ in the order or presence of %s have the same key', (_what, one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

test.each([
  ['a type', `${version} enum Size { S }`, version],
  ['a field', `${version} type Post { id: ID! at: Moment }`, `${version} type Post { id: ID! }`],
  ['an argument', postsBy('by: ID, first: Int'), postsBy('first: Int')],
  ['a value', `${version} enum Size { S M }`, `${version} enum Size { S }`],
  ['a preset', userBy('id: ID! @preset(value: 1)'), userBy('id: ID!')],
  ['the value of a preset', userBy('id: ID! @preset(value: 1)'), userBy('id: ID! @preset(value: 2)')],
  [
    'the session variable of a preset',
    userBy('id: ID! @preset(value: "x-service-a")'),
    userBy('id: ID! @preset(value: "x-service-b")'),
  ],
  [
    'the kind of a preset',
    userBy('id: ID! @preset(value: "x-service-a", static: true)'),
    userBy('id: ID! @preset(value: "x-service-a")'),
  ],
  ['a member of a preset', preset('{ text: "x-service-a", level: 1 }'), preset('{ text: "x-service-a", level: 2 }')],
  [
    'an item of a preset',
    preset('{ text: "a", tags: ["x-service-a", "b"] }'),
    preset('{ text: "a", tags: ["x-service-a", "c"] }'),
  ],
  [
    'the order of items of a preset',
    preset('{ text: "a", tags: ["x-service-a", "b"] }'),
    preset('{ text: "a", tags: ["b", "x-service-a"] }'),
  ],
])('permissions that differ in %s have different keys', (_what, one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});
