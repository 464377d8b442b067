/** REST endpoints: create and drop. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { RestEndpoint } from '../../schema/stored-operations.ts';
import { withComment, without } from '../edit/change.ts';
import { defineCommand, type EditContext } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

export const createRestEndpoint = defineCommand({
  name: 'create_rest_endpoint',
  arguments: RestEndpoint,
  apply: ({ comment, ...endpoint }, metadata, context): Metadata => {
    const endpoints = metadata.rest_endpoints ?? [];
    if (endpoints.some((one) => one.name === endpoint.name)) {
      throw new EditError('already-exists', `REST endpoint with name "${endpoint.name}" already exists`, '$.name');
    }
    if (context !== undefined) checkMutation(endpoint, metadata, context);
    return { ...metadata, rest_endpoints: [...endpoints, { ...endpoint, ...withComment(comment) }] };
  },
});

/**
 * Rejects a mutation for GET without `allow_get_mutation`. `replace_metadata` does not check this, so that endpoints from
 * Hasura v2 continue to work.
 */
function checkMutation(
  { methods, definition, allow_get_mutation: isAllowed }: RestEndpoint,
  { query_collections = [] }: Metadata,
  { mutates }: EditContext,
): void {
  const { collection_name, query_name } = definition.query;
  const collection = query_collections.find(({ name }) => name === collection_name);
  const query = collection?.definition.queries.find(({ name }) => name === query_name)?.query;
  if (query === undefined) return;
  const isGetMutation = methods.includes('GET') && mutates(query);
  if (isGetMutation && isAllowed !== true) {
    throw new EditError(
      'not-supported',
      `"${query_name}" is a mutation, and GET requests are expected to change nothing: any web page can make a browser send them. Use POST, PUT, PATCH or DELETE, or set "allow_get_mutation": true`,
      '$.methods',
    );
  }
  if (!isGetMutation && isAllowed === true) {
    throw new EditError(
      'parse-failed',
      '"allow_get_mutation" has an effect only for a mutation with the method GET; remove it',
      '$.allow_get_mutation',
    );
  }
}

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
