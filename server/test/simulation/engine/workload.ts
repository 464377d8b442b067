/** What a simulation is about: what nodes run, what clients do, and which rules hold. */
import type { HttpCall, HttpClient } from '../../../src/base/http-client/http-client.ts';
import type { Observe } from '../../../src/base/telemetry/observe.ts';
import type { listen } from '../../../src/postgres/client/listen.ts';
import type { DatabaseLink } from './database-link.ts';
import type { NodeProcess } from './node-process.ts';
import type { CalledEvent, WebhookCall } from './webhook-call.ts';
import type { World } from './world.ts';

export interface WorkloadContext {
  readonly world: World;
  /** The calls that were sent, without the one that is being checked. */
  readonly calls: () => readonly WebhookCall[];
  readonly linkOf: (call: Pick<WebhookCall, 'process'>) => DatabaseLink;
  /** Returns the number of calls of an event that did not find its webhook, and are not among `calls`. */
  readonly unreached: (id: string) => number;
}

export interface NodeContext {
  readonly process: NodeProcess;
  readonly link: DatabaseLink;
  readonly httpClient: HttpClient;
  /** Reports failures that the scenario does not explain as violations. */
  readonly observe: Observe;
  /** Receives notifications of the simulated database; undefined where nodes poll only. */
  readonly listen: typeof listen | undefined;
}

/** The part of a node that is simulated. */
export interface SimulatedNode {
  start(): Promise<void>;
  stop(limit: { readonly drainMs: number }): Promise<void>;
}

export interface Workload {
  /** Creates what a process of a node runs. Called in the process. */
  createNode(context: NodeContext): SimulatedNode;
  /** Schedules what clients do. */
  begin(): Promise<void>;
  /** Whether clients have ended and nothing is pending. */
  isDone(): Promise<boolean>;
  /** The server has closed all connections. */
  disconnected?(): Promise<void>;
  calledEvent(request: HttpCall): CalledEvent;
  /** Returns the body of a successful response. */
  respond?(call: WebhookCall): string;
  /** Checks a call when it is sent, before it counts as sent. */
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  /** Checks the results when all has ended. */
  atEnd(): Promise<void>;
}

/** Returns the value of a header; an empty text if the request does not have it. */
export function headerOf(request: Pick<HttpCall, 'headers'>, name: string): string {
  return request.headers.find(([one]) => one === name)?.[1] ?? '';
}
