/** The whole service in the process of the test, with its own database and HTTP on a free port. */
import { parseJson } from '../../../src/base/json-value.ts';
import { type Running, start } from '../../../src/main.ts';
import { pooled } from '../database/pooler.ts';
import { type TestDatabase, type TestDatabaseOptions, testDatabase } from '../database/test-database.ts';

export interface TestService {
  readonly url: string;
  readonly database: TestDatabase;
  /** Sends a POST request with `body` as JSON (a string unchanged) and parses the response as JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Runs a metadata command as `admin`. Rejects if the status is not 200. */
  command(type: string, args: unknown): Promise<unknown>;
  /** Sends a GraphQL request with the session variables as headers. Returns the body of the response. */
  graphql(query: string, session?: Readonly<Record<string, string>>, variables?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export async function startService(
  environment: Readonly<Record<string, string>> = {},
  options: TestDatabaseOptions | TestDatabase = {},
): Promise<TestService> {
  const given = 'drop' in options ? options : undefined;
  const database = given ?? (await testDatabase(options as TestDatabaseOptions));
  const running: Running = await start({
    environment: {
      JOINERY_DATABASE_URL: pooled(database.url),
      JOINERY_PORT: '0',
      JOINERY_LOG_LEVEL: 'silent',
      ...environment,
    },
  });
  const post = async (
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> => {
    const response = await fetch(running.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: parseJson(await response.text()) };
  };
  return {
    url: running.url,
    database,
    post,
    command: async (type, args) => {
      const response = await post('/v1/query', { type, args }, { 'x-service-role': 'admin' });
      if (response.status !== 200) throw new Error(`${type}: ${JSON.stringify(response.body)}`);
      return response.body;
    },
    graphql: async (query, session = {}, variables = undefined) =>
      (await post('/v1/graphql', { query, variables }, session)).body,
    stop: async () => {
      await running.stop('the test has ended');
      if (given === undefined) await database.drop();
    },
  };
}
