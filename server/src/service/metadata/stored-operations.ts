/** Inconsistencies of stored operations: queries that do not fit the schema, and endpoints of subscriptions. */
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { Steps } from '../../base/steps.ts';
import type { Model } from '../../model/model.ts';
import type { Inconsistency } from '../../model/types/inconsistency.ts';
import { holdsOperation, problemsOf } from '../../plan/document/stored.ts';
import { roleSchema } from '../../schema/role-schema.ts';

/** Builds the schema of admins only if there are stored operations. */
export function* storedOperationInconsistencies(model: Model, metadata: Metadata): Steps<readonly Inconsistency[]> {
  const broken = yield* brokenQueries(model, metadata);
  return [...broken, ...(yield* subscribingEndpoints(metadata))];
}

function* brokenQueries(model: Model, metadata: Metadata): Steps<readonly Inconsistency[]> {
  const broken: Inconsistency[] = [];
  for (const [index, collection] of (metadata.query_collections ?? []).entries()) {
    for (const [position, query] of collection.definition.queries.entries()) {
      yield;
      const problems = problemsOf(roleSchema(model, ADMIN_ROLE), query.query);
      if (problems.length === 0) continue;
      broken.push({
        type: 'query_collections',
        name: `query_collections ${query.name} in ${collection.name}`,
        path: `$.query_collections[${index}].definition.queries[${position}]`,
        code: 'invalid-configuration',
        reason: `in query collection "${collection.name}" the query "${query.name}" is invalid: ${problems.join('; ')}${usersOf(collection.name, query.name, metadata)}`,
        definition: query,
      });
    }
  }
  return broken;
}

function usersOf(collection: string, query: string, metadata: Metadata): string {
  const users = (metadata.rest_endpoints ?? [])
    .filter(({ definition: { query: used } }) => used.collection_name === collection && used.query_name === query)
    .map(({ name }) => `"${name}"`);
  return users.length === 0
    ? ''
    : `; it is used by the REST endpoint${users.length > 1 ? 's' : ''} ${users.join(', ')}`;
}

function* subscribingEndpoints(metadata: Metadata): Steps<readonly Inconsistency[]> {
  const subscribing: Inconsistency[] = [];
  for (const [index, endpoint] of (metadata.rest_endpoints ?? []).entries()) {
    yield;
    const { collection_name, query_name } = endpoint.definition.query;
    const collection = metadata.query_collections?.find((one) => one.name === collection_name);
    const query = collection?.definition.queries.find((one) => one.name === query_name);
    if (query === undefined || !holdsOperation(query.query, 'subscription')) continue;
    subscribing.push({
      type: 'rest_endpoint',
      name: `rest_endpoint ${endpoint.name}`,
      path: `$.rest_endpoints[${index}]`,
      code: 'invalid-configuration',
      reason: `in endpoint ${endpoint.name}: query with name ${query_name} is a subscription, and an HTTP request has one response`,
      definition: endpoint,
    });
  }
  return subscribing;
}
