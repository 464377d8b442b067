/** Two GraphQL servers, a model whose table `order` joins to one of them, and functions that run requests to them. */

import { RoleName } from '@joinery/metadata/names';
import { expect } from 'vitest';
import type { Environment } from '../../../src/base/environment.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { createHttpClient, type HttpClient } from '../../../src/base/http-client/http-client.ts';
import { printJson } from '../../../src/base/json-value.ts';
import { createHandlerState } from '../../../src/execute/action/handler/handler-state.ts';
import type { ExecuteContext } from '../../../src/execute/context/context.ts';
import { fetchRemoteJoin, runRemoteFields } from '../../../src/execute/remote/remote.ts';
import { PartialResult } from '../../../src/execute/response/field-errors.ts';
import type { Model } from '../../../src/model/model.ts';
import { planOperation, prepare } from '../../../src/plan/operation.ts';
import type { RemoteTarget } from '../../../src/plan/plan/query.ts';
import { roleSchema } from '../../../src/schema/role-schema.ts';
import { type GraphQLServer, startGraphQLServer } from '../http/graphql-server.ts';
import { remoteModel } from './remote-model.ts';

const sdl = `
  scalar Big
  enum Speed { SLOW FAST }
  interface Thing { id: ID! }
  type Box implements Thing { id: ID! size: Int }
  type Letter implements Thing { id: ID! pages: Int }
  input Filter { order: Int! speed: Speed note: String inner: Filter some: [Filter!] }
  type Status { eta(zone: String, tries: Int = 1): String speed: Speed }
  type Shipment { id: ID! code: String status: Status echo(text: String, big: Big): String }
  type Query {
    shipment(orderId: Int!, note: String): Shipment
    byCode(code: String!): Shipment
    bySpeed(speed: Speed!, ids: [ID!]): Shipment
    byBig(big: Big): String exact: Big
    filtered(filter: Filter!, also: String): String
    things(ids: [ID!]!): [Thing!]!
    fails: String
  }
  type Mutation { send(order: Int!): Shipment shipment(orderId: Int!): Shipment }
`;

const shipment = (id: unknown) => ({
  id,
  code: String(id),
  echo: ({ text, big }: { text?: string; big?: unknown }) => JSON.stringify({ text, big }),
  status:
    Number(id) === 404 ? null : { eta: ({ zone, tries }: Args) => `${id} in ${zone} after ${tries}`, speed: 'FAST' },
});
type Args = Readonly<Record<string, unknown>>;
const root = {
  shipment: ({ orderId }: Args) => (orderId === 405 ? null : shipment(orderId)),
  byCode: ({ code }: Args) => shipment(code),
  bySpeed: (args: Args) => shipment(JSON.stringify(args)),
  byBig: ({ big }: Args) => JSON.stringify(big),
  filtered: (args: Args) => JSON.stringify(args),
  things: ({ ids }: { ids: string[] }) =>
    ids.map((id) => ({ __typename: id.startsWith('b') ? 'Box' : 'Letter', id, size: 5, pages: 2 })),
  fails: () => {
    throw new Error('the carrier is unavailable');
  },
  send: ({ order }: Args) => shipment(order),
};

export interface ForwardOptions {
  readonly variables?: Args;
  /** Replaces the model of the fixture. */
  readonly model?: Model;
  /** Members that replace those of the default context. */
  readonly context?: Partial<ExecuteContext>;
}

export interface JoinOptions extends ForwardOptions {
  /** Variable definitions of the operation, such as `($id: Int)`. */
  readonly head?: string;
  /** Text after the operation, such as fragments. */
  readonly tail?: string;
}

export interface RemoteFixture {
  readonly carrier: GraphQLServer;
  readonly weather: GraphQLServer;
  /** Returns the model with another timeout of `carrier`. */
  modelWith(timeoutSeconds: number): Model;
  /** Runs the remote root fields of `query`. Rejects with the first error. */
  forward(query: string, options?: ForwardOptions): Promise<unknown>;
  /** Fetches the single join that `selection` on `order` contains. Rejects with the first error. */
  fetchJoin(selection: string, keys: readonly (readonly unknown[])[], options?: JoinOptions): Promise<unknown[]>;
  /** Clears the recorded requests of both servers. */
  reset(): void;
  close(): Promise<void>;
}

export async function remoteFixture(): Promise<RemoteFixture> {
  const httpClient = createHttpClient({ connections: 4 });
  const carrier = await startGraphQLServer(sdl, root);
  const weather = await startGraphQLServer('type Query { rain(at: String): Float }', { rain: 0.5 });
  const environment = { CARRIER: new URL(carrier.url).host };
  const defaultModel = modelOf(carrier, weather, 20);
  const plan = (query: string, { variables = {}, model = defaultModel, context = {} }: ForwardOptions) => {
    const planned = planOperation(prepare(roleSchema(model, RoleName.parse('admin')), query, undefined), variables);
    return { roots: planned.plan.roots, context: contextOf(httpClient, environment, planned.variables, context) };
  };
  return {
    carrier,
    weather,
    modelWith: (timeoutSeconds) => modelOf(carrier, weather, timeoutSeconds),
    forward: async (query, options = {}) => {
      const { roots, context } = plan(query, options);
      const fields = roots.map((one) => {
        if (one.kind !== 'remote') throw new Error(`${one.alias} is not a remote field`);
        return { alias: one.alias, plan: one.forward };
      });
      const remotes = [...new Set(fields.map((field) => field.plan.remote))];
      const results = remotes.map(async (remote) => {
        const group = fields.filter((field) => field.plan.remote === remote);
        const values = await runRemoteFields(group, context);
        return group.map(({ alias }, index) => [alias, orThrow(values[index])] as const);
      });
      return Object.fromEntries((await Promise.all(results)).flat());
    },
    fetchJoin: async (selection, keys, options = {}) => {
      const { head = '', tail = '' } = options;
      const { roots, context } = plan(`query ${head} { order { ${selection} } } ${tail}`, options);
      return (await fetchRemoteJoin(targetIn(roots[0]), keys, context)).map(orThrow);
    },
    reset: () => {
      carrier.reset();
      weather.reset();
    },
    close: async () => {
      await Promise.all([carrier.close(), weather.close(), httpClient.close()]);
    },
  };
}

/** Throws the first error of a partial result. */
function orThrow(value: unknown): unknown {
  if (value instanceof PartialResult) throw value.errors[0]?.error;
  return value;
}

const definition = (url: string, more: object = {}) => ({ url, timeout_seconds: 20, ...more });
const join = (name: string, remote_field: unknown) => ({
  name,
  definition: {
    to_remote_schema: {
      remote_schema: 'carrier',
      lhs_fields: ['id', 'code', 'big', 'speed', 'ids', 'extra'],
      remote_field,
    },
  },
});

function modelOf(carrier: GraphQLServer, weather: GraphQLServer, timeout_seconds: number): Model {
  const built = remoteModel({
    tables: { order: { id: 'Int', code: 'String', big: 'numeric', speed: 'String', ids: 'Int[]', extra: 'jsonb' } },
    remotes: {
      carrier: { schema: sdl, definition: definition('http://{{CARRIER}}/graphql', { timeout_seconds }) },
      weather: { schema: 'type Query { rain(at: String): Float }', definition: definition(weather.url) },
    },
    environment: { CARRIER: new URL(carrier.url).host },
    relationships: {
      order: [
        join('shipment', { shipment: { arguments: { orderId: '$id' } } }),
        join('eta', {
          shipment: {
            arguments: { orderId: '$id' },
            field: { status: { arguments: {}, field: { eta: { arguments: { tries: 2 } } } } },
          },
        }),
        join('status', { shipment: { arguments: { orderId: '$id' }, field: { status: { arguments: {} } } } }),
        join('by_code', { byCode: { arguments: { code: '$code' } } }),
        join('by_speed', { bySpeed: { arguments: { speed: '$speed', ids: '$ids' } } }),
        join('by_big', { byBig: { arguments: { big: { list: ['$big', 1], text: 'x', extra: '$extra' } } } }),
        join('filtered', {
          filtered: { arguments: { filter: { order: '$id', inner: { order: 1 }, some: [{ order: '$id' }] } } },
        }),
        join('things', { things: { arguments: { ids: ['b1', '$code'] } } }),
      ],
    },
  });
  expect(built.reports).toEqual([]);
  return built.model;
}

function contextOf(
  httpClient: HttpClient,
  environment: Environment,
  variables: Args,
  more: Partial<ExecuteContext>,
): ExecuteContext {
  return {
    session: {
      role: RoleName.parse('user'),
      variables: new Map([
        ['x-service-role', 'user'],
        ['x-service-user-id', '7'],
      ]),
    },
    headers: {},
    query: '',
    variables,
    database: () => {
      throw new Error('no database');
    },
    httpClient,
    handlers: createHandlerState(),
    environment,
    settings: {
      stringifyNumerics: false,
      sessionPrefix: 'x-service-',
      configuredHeaderPrecedence: false,
      version: '1.2.3',
      maxActionResponseBytes: 1_000_000,
      maxRemoteResponseBytes: 1_000_000,
    },
    observe: () => undefined,
    ...more,
  };
}

function targetIn(planRoot: unknown): RemoteTarget {
  const { rows } = planRoot as { rows: { fields: readonly { kind: string; join?: { target: RemoteTarget } }[] } };
  const target = rows.fields.find((field) => field.kind === 'join')?.join?.target;
  if (target === undefined) throw new Error('no join was planned');
  return target;
}

/** Returns the ServiceError that `run` rejects with. Rejects with any other error, and if `run` resolves. */
export async function failure(run: Promise<unknown>): Promise<ServiceError> {
  const error = await run.then(
    (value) => new Error(`resolved with ${printJson(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}
