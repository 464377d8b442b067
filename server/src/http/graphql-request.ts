/** What a GraphQL request must look like, whatever way it comes. */
import { ServiceError } from '../base/errors.ts';
import { parseJson } from '../base/json-value.ts';
import type { PersistedQueries } from '../service/graphql/persisted-queries.ts';
import type { GraphQLRequest } from '../service/graphql/run-operation.ts';

type Members = Readonly<Record<string, unknown>>;

/** Checks the members by type, as the specification says. Throws `parse-failed` with a path. */
export function toRequest(body: unknown, persisted?: PersistedQueries): GraphQLRequest {
  if (!isObject(body)) throw new ServiceError('parse-failed', 'a GraphQL request is a JSON object with "query"');
  const { variables, operationName, extensions } = body;
  mustBeObject(extensions, 'extensions');
  const query = queryOf(body, persisted);
  mustBeObject(variables, 'variables');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new ServiceError('parse-failed', '"operationName" must be a string', { path: '$.operationName' });
  }
  return {
    query,
    variables: (variables ?? undefined) as Members | undefined,
    operationName: operationName ?? undefined,
  };
}

/** The parameters of a GET: variables and extensions are JSON. */
export function fromQueryString(parameters: Members, persisted?: PersistedQueries): GraphQLRequest {
  const { variables, extensions } = parameters;
  const read = { ...parameters, variables: json('variables', variables), extensions: json('extensions', extensions) };
  return toRequest(read, persisted);
}

function json(name: string, text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new ServiceError('invalid-json', `the parameter "${name}" is not JSON`, { path: `$.${name}` });
  }
}

/** `{ "persistedQuery": { "version": 1, "sha256Hash": "..." } }` among the extensions stands for the query, or names it. */
function queryOf({ query, extensions }: Members, persisted: PersistedQueries | undefined): string {
  const asked = isObject(extensions) ? extensions.persistedQuery : undefined;
  const absent = query === undefined || query === null || query === '';
  if (persisted !== undefined && isObject(asked) && (absent || typeof query === 'string')) {
    if (asked.version !== undefined && asked.version !== 1) {
      throw new ServiceError('bad-request', 'Unsupported persisted query version', {
        path: '$.extensions.persistedQuery.version',
      });
    }
    if (typeof asked.sha256Hash !== 'string' || !/^[\da-f]{64}$/i.test(asked.sha256Hash)) {
      throw new ServiceError('parse-failed', '"sha256Hash" must be 64 hexadecimal digits', {
        path: '$.extensions.persistedQuery.sha256Hash',
      });
    }
    return persisted.find(asked.sha256Hash, absent ? undefined : query);
  }
  if (typeof query === 'string') return query;
  throw new ServiceError('parse-failed', '"query" must be there and a string', { path: '$.query' });
}

function mustBeObject(value: unknown, name: string): void {
  if (value === undefined || value === null || isObject(value)) return;
  throw new ServiceError('parse-failed', `"${name}" must be an object`, { path: `$.${name}` });
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
