/** URLs for stored operations: create, drop. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { RestEndpoint } from '../stored-operations.ts';
import { withComment, without } from './change.ts';
import { defineCommand } from './command.ts';
import { EditError } from './edit-error.ts';

export const createRestEndpoint = defineCommand({
  name: 'create_rest_endpoint',
  arguments: RestEndpoint,
  apply: ({ comment, ...endpoint }, metadata): Metadata => {
    const endpoints = metadata.rest_endpoints ?? [];
    if (endpoints.some((one) => one.name === endpoint.name)) {
      throw new EditError('already-exists', `REST endpoint with name "${endpoint.name}" already exists`, '$.name');
    }
    return { ...metadata, rest_endpoints: [...endpoints, { ...endpoint, ...withComment(comment) }] };
  },
});

export const dropRestEndpoint = defineCommand({
  name: 'drop_rest_endpoint',
  arguments: z.strictObject({ name: z.string().min(1) }),
  apply: ({ name }, metadata): Metadata => {
    const rest_endpoints = without(metadata.rest_endpoints, (one) => one.name === name);
    if (rest_endpoints === undefined) {
      throw new EditError('not-exists', `REST endpoint with name "${name}" does not exist`, '$.name');
    }
    return { ...metadata, rest_endpoints };
  },
});
