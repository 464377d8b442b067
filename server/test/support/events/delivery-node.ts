/** Webhooks that record their calls, and nodes that deliver events to them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Environment } from '../../../src/base/environment.ts';
import type { EgressSettings } from '../../../src/base/http-client/egress.ts';
import { createHttpClient } from '../../../src/base/http-client/http-client.ts';
import { parseJson } from '../../../src/base/json-value.ts';
import type { Observation } from '../../../src/base/telemetry/observe.ts';
import type { Delivery } from '../../../src/events/delivery/delivery.ts';
import type { LeaseTimes } from '../../../src/events/leases/leases.ts';
import {
  createScheduledDelivery,
  type DeliverySettings,
  type ScheduledDelivery,
} from '../../../src/events/scheduled/delivery.ts';
import type { CallTargets } from '../../../src/events/targets/target.ts';
import type { Signer } from '../../../src/events/webhook/signature.ts';
import { createDatabase, type Database } from '../../../src/postgres/client/pool.ts';
import { pooled } from '../database/pooler.ts';
import type { TestDatabase } from '../database/test-database.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as sent. `body` is the parsed value, or an empty object where it is no JSON. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly id: string; readonly scheduled_time: string };
  /** Milliseconds since 1970 at which the call arrived. */
  readonly at: number;
  /** Milliseconds since 1970 at which the connection was opened for the call; `at` where an earlier one is used. */
  readonly startedAt: number;
}

export interface Sink {
  readonly origin: string;
  readonly calls: readonly Call[];
  /** Returns the number of calls without a response. */
  open(): number;
  callsOf(id: string): readonly Call[];
  close(): Promise<void>;
}

/** Writes the response to a call. */
export type Respond = (call: Call, response: ServerResponse) => void;

/** Starts a webhook. It responds with status 200 by default. */
export async function startSink(respond: Respond = (_call, response) => response.end('ok')): Promise<Sink> {
  const calls: Call[] = [];
  const openedAt = new WeakMap<Socket, number>();
  let open = 0;
  const server = createServer(async (request, response) => {
    const at = Date.now();
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const startedAt = openedAt.get(request.socket) ?? at;
    openedAt.delete(request.socket);
    const text = await read(request);
    const body = bodyOf(text) as Call['body'];
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body,
      at,
      startedAt,
    };
    calls.push(call);
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    respond(call, response);
  });
  server.on('connection', (socket) => openedAt.set(socket, Date.now()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    open: () => open,
    callsOf: (id) => calls.filter((call) => call.body.id === id),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) text += part;
  return text;
}

function bodyOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return {};
  }
}

export interface TestNode extends ScheduledDelivery {
  readonly database: Database;
  readonly observed: readonly Observation[];
  /** Stops the node and closes its connections. */
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly environment?: Environment;
  readonly settings?: Partial<DeliverySettings>;
  readonly agent?: string;
  readonly sign?: Signer;
  readonly egress?: EgressSettings;
  readonly leaseTimes?: LeaseTimes;
}

/** For nodes whose events have webhooks. */
export const noTargets: CallTargets = async () => ({ outcome: 'error', status: 500, response: '{}' });

/** Starts a node that delivers events of the database. */
export async function startNode(on: Pick<TestDatabase, 'url'>, options: NodeOptions = {}): Promise<TestNode> {
  const observed: Observation[] = [];
  const observe = (observation: Observation): void => {
    observed.push(observation);
  };
  const httpClient = createHttpClient({
    connections: 128,
    ...(options.egress !== undefined && { egress: options.egress }),
  });
  const database = createDatabase({
    url: pooled(on.url),
    poolSize: 4,
    statementTimeoutMs: 20_000,
    prepare: true,
    applicationName: 'joinery events test',
    observe,
  });
  const delivery = createScheduledDelivery({
    database,
    databaseUrl: pooled(on.url),
    httpClient,
    callTarget: noTargets,
    environment: options.environment ?? {},
    observe,
    nodeId: options.agent ?? 'test',
    agent: options.agent ?? 'joinery/test',
    sign: options.sign,
    leaseTimes: options.leaseTimes,
    ...(options.settings !== undefined && { settings: options.settings }),
  });
  await delivery.start();
  let stopped: Promise<void> | undefined;
  const stop: Delivery['stop'] = (limit) => {
    stopped ??= delivery.stop(limit);
    return stopped;
  };
  return {
    ...delivery,
    stop,
    database,
    observed,
    close: async () => {
      await stop({ drainMs: 0 });
      await httpClient.close();
      await database.close();
    },
  };
}

/** Returns the first column of the rows. */
export async function column(database: Database, text: string, values: readonly unknown[] = []): Promise<string[]> {
  const result = await database.query({ text, values });
  return result.rows.map((row) => row[0] ?? '');
}

/** Returns the time that many milliseconds from now in ISO 8601. */
export function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}
