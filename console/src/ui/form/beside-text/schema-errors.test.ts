import { SetEventDestination } from '@joinery/metadata/api/events/destinations';
import { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import { describe, expect, test } from 'vitest';
import { byMember, jsonTextError, memberAt, numberIn, schemaErrors } from './schema-errors.ts';

const fieldOf = byMember({ name: 'name', definition: 'definition', 'definition.timeout_seconds': 'timeout' });

describe('schemaErrors', () => {
  test('returns nothing for valid arguments', () => {
    expect(schemaErrors(RemoteSchema, { name: 'shop', definition: { url: 'http://shop' } }, { fieldOf })).toEqual({});
  });

  test('returns the message of the schema as a sentence for each field', () => {
    const sent = { name: '', definition: { url: 'http://shop', timeout_seconds: 0 } };
    expect(schemaErrors(RemoteSchema, sent, { fieldOf })).toEqual({
      name: 'Must not be empty.',
      timeout: 'Must be at least 1.',
    });
  });

  test('prefers the message of the form', () => {
    const sent = { name: 'shop', definition: { url: 'http://shop', timeout_seconds: numberIn('soon') } };
    const messages = { timeout: 'Must be a whole number of seconds.' };
    expect(schemaErrors(RemoteSchema, sent, { fieldOf, messages })).toEqual(messages);
  });

  test('omits the errors of members without a field', () => {
    const sent = { destination: 'http://shop', concurrency: 0, rate_per_second: 0 };
    expect(
      Object.keys(schemaErrors(SetEventDestination, sent, { fieldOf: byMember({ concurrency: 'atOnce' }) })),
    ).toEqual(['atOnce']);
  });
});

test('jsonTextError reports invalid JSON, or the first error with its member', () => {
  expect(jsonTextError(ApiLimits, '{"depth_limit": {"global": 3}}')).toBeUndefined();
  expect(jsonTextError(ApiLimits, '{"depth_limit": {"global": 0}}')).toBe('Must be at least 1 (depth_limit.global).');
  expect(jsonTextError(ApiLimits, '{')).toBeDefined();
});

test('byMember assigns a member to the field with the longest matching path', () => {
  expect(fieldOf('definition.timeout_seconds')).toBe('timeout');
  expect(fieldOf('definition.headers[0].name')).toBe('definition');
  expect(fieldOf('definitions')).toBeUndefined();
});

test('memberAt accepts paths of arguments and of commands', () => {
  expect(memberAt('$.args.headers[0].value')).toBe('headers[0].value');
  expect(memberAt('$.headers[0].value')).toBe('headers[0].value');
  expect(memberAt('$')).toBe('');
});

test('numberIn passes text that is not a number, so that a schema rejects it', () => {
  expect([' 12 ', '1.5', 'soon', ''].map(numberIn)).toEqual([12, 1.5, 'soon', '']);
});
