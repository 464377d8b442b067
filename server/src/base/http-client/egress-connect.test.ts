import type { LookupAddress, LookupOptions } from 'node:dns';
import { expect, test } from 'vitest';
import { createEgress, egressDefaults } from './egress.ts';
import { checkedLookup, EgressError } from './egress-connect.ts';

const four: LookupAddress = { address: '192.0.2.1', family: 4 };
const six: LookupAddress = { address: '2001:db8::1', family: 6 };
const metadata: LookupAddress = { address: '169.254.169.254', family: 4 };

/** Returns the arguments of the callback of a lookup whose name has these addresses, or cannot be resolved. */
function lookUp(addresses: readonly LookupAddress[] | Error, options: LookupOptions): Promise<readonly unknown[]> {
  const lookup = checkedLookup(createEgress(egressDefaults), async () => {
    if (addresses instanceof Error) throw addresses;
    return addresses;
  });
  return new Promise((resolve) => lookup('example.com', options, (...received) => resolve(received)));
}

test.each<[string, LookupOptions, readonly LookupAddress[]]>([
  ['all addresses without a family', { all: true }, [four, six]],
  ['all addresses of family 0', { all: true, family: 0 }, [four, six]],
  ['the addresses of family 4', { all: true, family: 4 }, [four]],
  ['the addresses of family 6', { all: true, family: 6 }, [six]],
])('returns %s', async (_what, options, expected) => {
  expect(await lookUp([four, six], options)).toEqual([null, expected]);
});

test('returns the first permitted address with its family if one is requested', async () => {
  expect(await lookUp([metadata, six, four], {})).toEqual([null, '2001:db8::1', 6]);
});

test('leaves out forbidden addresses', async () => {
  expect(await lookUp([metadata, four], { all: true })).toEqual([null, [four]]);
});

test('fails with the reason if all addresses are forbidden', async () => {
  const [error, ...rest] = await lookUp([metadata], { all: true });
  expect(error).toBeInstanceOf(EgressError);
  expect(error).toMatchObject({ name: 'EgressError', message: expect.stringMatching(/cloud metadata/) });
  expect(rest).toEqual(['', 0]);
});

test('fails as the lookup of a name without an address if no address has the family', async () => {
  const [error, ...rest] = await lookUp([four], { family: 6 });
  expect(error).toMatchObject({ code: 'ENOTFOUND', message: 'no address for example.com' });
  expect(rest).toEqual(['', 0]);
});

test('fails with the error of the resolver', async () => {
  const failure = new Error('no server');
  expect(await lookUp(failure, {})).toEqual([failure, '', 0]);
});
