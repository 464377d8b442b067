/** Sends requests to all nodes at fixed rates and records their outcomes. */
import { randomUUID } from 'node:crypto';
import type { ServiceNode } from './nodes.ts';

export type RequestKind = 'query' | 'mutation' | 'events' | 'action';

/** One request. Times are milliseconds since 1970. */
export interface SentRequest {
  readonly kind: RequestKind;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `ok`, the code of the error, `no-response` or `client-timeout`. */
  readonly outcome: string;
}

export interface ScheduledEvent {
  readonly n: number;
  readonly scheduledAt: number;
  /** Undefined if the request was not acknowledged. */
  readonly id?: string;
}

export interface Load {
  readonly sent: readonly SentRequest[];
  /** Outcomes of inserts by the id of the row. */
  readonly rows: ReadonlyMap<string, string>;
  readonly events: readonly ScheduledEvent[];
  /** Ids of acknowledged calls of the action by their number. */
  readonly actions: ReadonlyMap<number, string>;
  /** Resolves when all requests have ended. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly nodes: readonly ServiceNode[];
  readonly receiver: string;
  /** The largest number of acknowledged events. */
  readonly events: number;
  /** The first number of events and actions of this load. */
  readonly firstNumber: number;
}

/** Intervals of requests in milliseconds. */
const intervals: Readonly<Record<RequestKind, number>> = { query: 25, mutation: 25, events: 80, action: 100 };
const EVENTS_PER_REQUEST = 10;
const CLIENT_TIMEOUT_MS = 20_000;
/** The largest number of open requests of a kind, like the connection pool of a client. */
const MOST_OPEN = 40;

export function startLoad({ nodes, receiver, events: mostEvents, firstNumber }: LoadOptions): Load {
  const sent: SentRequest[] = [];
  const rows = new Map<string, string>();
  const events: ScheduledEvent[] = [];
  const actions = new Map<number, string>();
  const open = new Set<Promise<void>>();
  let number = firstNumber;
  let acknowledgedEvents = 0;
  let turn = 0;

  async function send(kind: RequestKind, path: string, body: unknown): Promise<RequestResult> {
    turn += 1;
    const node = nodes[turn % nodes.length];
    const startedAt = Date.now();
    const result = await post(`${node?.url}${path}`, body);
    sent.push({ kind, startedAt, endedAt: Date.now(), outcome: result.outcome });
    return result;
  }

  const requests: Readonly<Record<RequestKind, () => Promise<void>>> = {
    query: async () => {
      await send('query', '/v1/graphql', { query: '{ entry(limit: 5, order_by: { n: desc }) { id n } }' });
    },
    mutation: async () => {
      const object = { id: randomUUID(), n: ++number };
      const query = 'mutation ($object: entry_insert_input!) { insert_entry_one(object: $object) { id } }';
      const { outcome } = await send('mutation', '/v1/graphql', { query, variables: { object } });
      rows.set(object.id, outcome);
    },
    events: async () => {
      if (acknowledgedEvents >= mostEvents) return;
      const batch = Array.from({ length: EVENTS_PER_REQUEST }, () => ({
        n: ++number,
        scheduledAt: Date.now() + 500 + Math.floor(Math.random() * 6000),
      }));
      const args = {
        events: batch.map(({ n, scheduledAt }) => ({
          webhook: `${receiver}/event`,
          schedule_at: new Date(scheduledAt).toISOString(),
          payload: { n },
        })),
      };
      const { body } = await send('events', '/v1/query', { type: 'create_scheduled_events', args });
      const ids = (body.events as readonly { readonly event_id: string }[] | undefined) ?? [];
      acknowledgedEvents += ids.length;
      for (const [index, event] of batch.entries()) {
        const id = ids[index]?.event_id;
        events.push(id === undefined ? event : { ...event, id });
      }
    },
    action: async () => {
      const n = ++number;
      const { body } = await send('action', '/v1/graphql', { query: `mutation { run(n: ${n}) }` });
      const id = (body.data as { readonly run?: string } | undefined)?.run;
      if (id !== undefined) actions.set(n, id);
    },
  };

  const timers = Object.entries(requests).map(([kind, request]) => {
    let waiting = 0;
    return setInterval(
      () => {
        if (waiting >= MOST_OPEN) return;
        waiting += 1;
        const ended = request().finally(() => {
          waiting -= 1;
          open.delete(ended);
        });
        open.add(ended);
      },
      intervals[kind as RequestKind],
    );
  });
  return {
    sent,
    rows,
    events,
    actions,
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(open);
    },
  };
}

interface RequestResult {
  readonly outcome: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request and returns its outcome. Never rejects. */
export async function post(url: string, body: unknown): Promise<RequestResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    });
    const parsed = (await response.json()) as Readonly<Record<string, unknown>>;
    const [error] = (parsed.errors as readonly { readonly extensions: { readonly code: string } }[] | undefined) ?? [];
    const code = error?.extensions.code ?? parsed.code;
    return { outcome: code === undefined ? 'ok' : String(code), body: parsed };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return { outcome: timedOut ? 'client-timeout' : 'no-response', body: {} };
  }
}
