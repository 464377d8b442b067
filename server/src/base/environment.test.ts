/** Names of environment variables in templates and headers. */
import { expect, test } from 'vitest';
import { expand, expandHeaders, unusableReason } from './environment.ts';

const notSet = (name: string) => `environment variable "${name}" is not set`;

test.each(['NONE', 'constructor', 'toString', '__proto__'])('a variable %s that is not set is reported', (name) => {
  expect(unusableReason(name, { KEY: 'a' })).toBe(notSet(name));
  const failure = expect.objectContaining({ code: 'invalid-configuration', message: notSet(name) });
  expect(() => expand(`https://a/{{${name}}}`, { KEY: 'a' })).toThrow(failure);
  expect(() => expandHeaders([{ name: 'X-Key', value_from_env: name }], { KEY: 'a' })).toThrow(failure);
});

test.each(['KEY', 'constructor'])('a variable %s that is set has its value', (name) => {
  const environment = { [name]: 'a secret' };
  expect(unusableReason(name, environment)).toBeUndefined();
  expect(expand(`https://a/{{${name}}}`, environment)).toBe('https://a/a secret');
  expect(expandHeaders([{ name: 'X-Key', value_from_env: name }], environment)).toEqual([['X-Key', 'a secret']]);
});
