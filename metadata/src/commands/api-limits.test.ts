/** Tests of API limits that commands and documents reject. */
import { expect, test } from 'vitest';
import { readDocument } from '../document/document.ts';
import { emptyMetadata } from '../metadata.ts';
import { setApiLimits } from './api-limits.ts';
import { runEdit } from './edit/command.ts';

test.each(['X-Hasura-Role', 'x-service-role'])(
  'rates by %s are rejected, because each role has its own rate',
  (name) => {
    const rate = { max_reqs_per_min: 1, unique_params: ['x-service-user-id', name] };
    expect(() => runEdit(setApiLimits, { rate_limit: { global: rate } }, emptyMetadata)).toThrow(
      expect.objectContaining({ code: 'parse-failed', path: '$.rate_limit.global.unique_params[1]' }),
    );
    const api_limits = { rate_limit: { global: { max_reqs_per_min: 1 }, per_role: { user: rate } } };
    expect(() => readDocument({ version: 3, sources: [], api_limits }, emptyMetadata)).toThrow(
      expect.objectContaining({ code: 'parse-failed', path: '$.api_limits.rate_limit.per_role.user.unique_params[1]' }),
    );
  },
);
