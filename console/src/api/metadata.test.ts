/** Tests of reading a chosen file as metadata. */
import { expect, test } from 'vitest';
import { writtenMetadata } from './metadata.ts';

test('accepts metadata, and the complete response of export_metadata', () => {
  expect(writtenMetadata('{ "version": 3, "sources": [] }')).toBe('{"version":3,"sources":[]}');
  expect(writtenMetadata('{"resource_version": 7, "metadata": {"version": 3}}')).toBe('{"version":3}');
});

test('rejects anything else with a reason', () => {
  expect(() => writtenMetadata('version: 3')).toThrow(/This is no JSON/);
  expect(() => writtenMetadata('[1]')).toThrow('must be a JSON object');
});
