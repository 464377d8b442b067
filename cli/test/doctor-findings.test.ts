/** Tests of the findings of `joinery doctor` that have many causes or many users. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { readDocument } from '@joinery/metadata/document/document';
import { exportMetadata } from '@joinery/metadata/document/export';
import { emptyMetadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import type { Connection } from '../src/client/connection.ts';
import { checkHandlers } from '../src/commands/doctor/handlers.ts';
import { checkConsistency, checkLimits } from '../src/commands/doctor/metadata.ts';

test('a variable that is not set is one finding, with the number of its users', async () => {
  const actions = ['one', 'two', 'three'].map((name) => ({
    name,
    definition: { handler: `{{SHOP_URL}}/${name}`, output_type: 'Int' },
  }));
  const metadata = exportMetadata(readDocument({ version: 3, sources: [], actions }, emptyMetadata));
  expect(await checkHandlers(metadata, {})).toEqual([
    expect.objectContaining({
      status: 'warning',
      message: 'action "one" and 2 more use SHOP_URL, which is not set here',
    }),
  ]);
});

/** A connection to a service with these inconsistent objects. */
function connectionTo(objects: readonly InconsistentObject[]): Pick<Connection, 'command'> {
  const response = { is_consistent: false, inconsistent_objects: objects };
  return { command: () => Promise.resolve(response as never) };
}

test('a member without effect in several tables is one finding', async () => {
  const objects = ['a', 'b', 'c'].map((table, index) => ({
    type: 'unsupported',
    name: `logical_model of table "${table}", source "default"`,
    definition: 'm',
    reason: `in table "${table}", source "default": the member "logical_model" has no effect; remove it`,
    path: `$.sources[0].tables[${index}].logical_model`,
  }));
  const [ok, ...findings] = await checkConsistency(connectionTo(objects));
  expect(ok).toMatchObject({ status: 'ok' });
  expect(findings).toEqual([
    {
      check: 'metadata',
      status: 'warning',
      message:
        'in table "a", source "default": the member "logical_model" has no effect ($.sources[0].tables[0].logical_model) and 2 more',
      advice: 'remove it',
    },
  ]);
});

test('an API limit that rejects operations is one warning, with how to have it reported alone', async () => {
  const limit = {
    limit: 'depth_limit',
    most: 2,
    operations: [],
    path: '$.api_limits.depth_limit.global',
    message: 'm',
  };
  const service = (enforced: boolean): Pick<Connection, 'command'> => ({
    command: () => Promise.resolve({ enforced, limits: [limit] } as never),
  });
  const warning = { check: 'limits', status: 'warning', message: 'm ($.api_limits.depth_limit.global)' };
  expect(await checkLimits(service(true))).toEqual([
    { ...warning, advice: expect.stringContaining('set JOINERY_ENFORCE_API_LIMITS=false') },
  ]);
  expect(await checkLimits(service(false))).toEqual([
    { ...warning, advice: 'raise or remove the limit before you remove JOINERY_ENFORCE_API_LIMITS=false' },
  ]);
});
