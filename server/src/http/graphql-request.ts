/** Parses GraphQL requests of every transport. */
import { ServiceError } from '../base/errors.ts';
import { isJsonObject, parseJson } from '../base/json-value.ts';
import type { PersistedQueries } from '../service/graphql/persisted-queries.ts';
import type { GraphQLRequest } from '../service/graphql/run-operation.ts';

type Members = Readonly<Record<string, unknown>>;

/** Validates the members of a request. Throws `parse-failed` with a path. */
export function toRequest(body: unknown, persisted?: PersistedQueries): GraphQLRequest {
  if (!isJsonObject(body)) throw new ServiceError('parse-failed', 'a GraphQL request is a JSON object with "query"');
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

/** Parses the parameters of a GET request; variables and extensions are JSON. */
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

/** Returns the query, or the persisted query of the extension `persistedQuery`: `{ "version": 1, "sha256Hash": "..." }`. */
function queryOf({ query, extensions }: Members, persisted: PersistedQueries | undefined): string {
  const extension = isJsonObject(extensions) ? extensions.persistedQuery : undefined;
  const absent = query === undefined || query === null || query === '';
  if (persisted !== undefined && isJsonObject(extension) && (absent || typeof query === 'string')) {
    if (extension.version !== undefined && extension.version !== 1) {
      throw new ServiceError('bad-request', 'Unsupported persisted query version', {
        path: '$.extensions.persistedQuery.version',
      });
    }
    if (typeof extension.sha256Hash !== 'string' || !/^[\da-f]{64}$/i.test(extension.sha256Hash)) {
      throw new ServiceError('parse-failed', '"sha256Hash" must be 64 hexadecimal digits', {
        path: '$.extensions.persistedQuery.sha256Hash',
      });
    }
    return persisted.find(extension.sha256Hash, absent ? undefined : query);
  }
  if (typeof query === 'string') return query;
  throw new ServiceError('parse-failed', '"query" is required and must be a string', { path: '$.query' });
}

function mustBeObject(value: unknown, name: string): void {
  if (value === undefined || value === null || isJsonObject(value)) return;
  throw new ServiceError('parse-failed', `"${name}" must be an object`, { path: `$.${name}` });
}
