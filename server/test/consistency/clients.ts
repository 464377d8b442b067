/** Clients that append to lists and read them, by GraphQL, REST and subscription, and record the history of what they sent and received. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectedClient } from '../support/http/websocket-clients.ts';
import type { Append, Read, Transaction } from './checker.ts';
import type { RegisterOperation } from './register.ts';

export const keys = ['a', 'b', 'c', 'd'] as const;

interface Row {
  readonly key: string;
  readonly elements: readonly number[];
}

type Body = Readonly<Record<string, unknown>>;

export interface Recorder {
  readonly history: Transaction[];
  readonly register: RegisterOperation[];
  /** The codes of rejected changes. */
  readonly codes: Set<string>;
  /** How long a client waits for a response. */
  readonly timeoutMs: number;
  /** Returns a number that no other append or write has. */
  next(): number;
}

/** Returns a number from 0 to `limit` - 1. */
export type Random = (limit: number) => number;

/** The mulberry32 generator, so that the choices of a run can be repeated; their timing cannot. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const admin = { 'content-type': 'application/json', 'x-service-role': 'admin' };
/** The pause before the next attempt to connect to a node that does not listen. */
const PAUSE_MS = 20;

/** Resolves to the body; undefined where none was received, and `{}` if nothing was sent. */
async function send(url: string, { timeoutMs }: Recorder, body?: object): Promise<Body | undefined> {
  try {
    const post = body !== undefined && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(url, { headers: admin, signal: AbortSignal.timeout(timeoutMs), ...post });
    return (await response.json()) as Body;
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    if (cause?.code !== 'ECONNREFUSED') return undefined;
    await sleep(PAUSE_MS);
    return {};
  }
}

/** A change without a response, or with this code, may have been committed. */
function outcomeOf(body: Body | undefined, { codes }: Recorder): Transaction['outcome'] {
  if (body === undefined) return 'unknown';
  if (body.data !== undefined) return 'committed';
  const errors = body.errors as readonly { readonly extensions?: { readonly code?: string } }[] | undefined;
  const code = errors?.[0]?.extensions?.code ?? body.code;
  if (typeof code === 'string') codes.add(code);
  return code === 'unknown-outcome' ? 'unknown' : 'aborted';
}

function readsOf(rows: readonly Row[]): readonly Read[] {
  return rows.map(({ key, elements }) => ({ kind: 'read', key, list: elements }));
}

/** Appends to one to three lists in one mutation, in the order of keys; each root field returns the list that it has changed. */
export async function appendOnce(url: string, recorder: Recorder, random: Random): Promise<Transaction['outcome']> {
  const { history, next } = recorder;
  const chosen = keys.filter(() => random(2) === 0);
  const appends = (chosen.length === 0 ? [keys[0]] : chosen).map(
    (key): Append => ({ kind: 'append', key, element: next() }),
  );
  const fields = appends.map(
    ({ key, element }) =>
      `${key}: update_list(where: {key: {_eq: "${key}"}}, _append: {elements: [${element}]}) { returning { key elements } }`,
  );
  const body = await send(`${url}/v1/graphql`, recorder, { query: `mutation { ${fields.join(' ')} }` });
  const outcome = outcomeOf(body, recorder);
  const data = (body?.data ?? {}) as Readonly<Record<string, { readonly returning: readonly Row[] }>>;
  const reads = outcome === 'committed' ? Object.values(data).flatMap(({ returning }) => readsOf(returning)) : [];
  history.push({ id: `m${history.length}`, outcome, operations: [...appends, ...reads] });
  return outcome;
}

const everything = '{ list(order_by: {key: asc}) { key elements } }';

/** Reads all lists by GraphQL, as fields of their own, or by REST. What fails is not recorded. */
export async function readOnce(url: string, recorder: Recorder, random: Random): Promise<void> {
  const { history } = recorder;
  const way = random(3);
  const fields = keys.map((key) => `${key}: list(where: {key: {_eq: "${key}"}}) { key elements }`);
  const query = way === 0 ? everything : `{ ${fields.join(' ')} }`;
  const body =
    way === 2 ? await send(`${url}/api/rest/lists`, recorder) : await send(`${url}/v1/graphql`, recorder, { query });
  const data = (way === 2 ? body : body?.data) as Readonly<Record<string, readonly Row[]>> | undefined;
  if (data === undefined || 'error' in data || 'errors' in data) return;
  const operations = readsOf(Object.values(data).flat());
  history.push({ id: `q${history.length}`, outcome: 'committed', operations });
}

/** Records each result of a live query until `ended`; connects again after the socket was closed. */
export async function subscribe(url: string, { history }: Recorder, ended: () => boolean): Promise<void> {
  while (!ended()) {
    try {
      const client = await connectedClient(url, { 'x-service-role': 'admin' });
      client.send({ id: '1', type: 'subscribe', payload: { query: `subscription ${everything}` } });
      while (!ended()) {
        const { type, payload } = await client.next();
        if (type !== 'next') break;
        const { data } = payload as { readonly data?: { readonly list: readonly Row[] } };
        if (data === undefined) break;
        history.push({ id: `s${history.length}`, outcome: 'committed', operations: readsOf(data.list) });
      }
      await client.close();
    } catch {
      // The node did not accept the connection; the next attempt follows.
      await sleep(PAUSE_MS);
    }
  }
}

/** Writes or reads a value of the metadata: the depth limit. */
export async function useRegister(url: string, recorder: Recorder, random: Random): Promise<void> {
  const { register, next } = recorder;
  const start = performance.now();
  const endpoint = `${url}/v1/metadata`;
  if (random(3) === 0) {
    const value = next();
    const body = await send(endpoint, recorder, {
      type: 'set_api_limits',
      args: { disabled: true, depth_limit: { global: value } },
    });
    if (body?.message === 'success') register.push({ kind: 'write', value, start, end: performance.now() });
    else if (body === undefined || outcomeOf(body, recorder) === 'unknown')
      register.push({ kind: 'write', value, start, end: Number.POSITIVE_INFINITY });
    return;
  }
  const body = (await send(endpoint, recorder, { type: 'export_metadata', version: 2, args: {} })) as
    | { readonly metadata?: { readonly api_limits?: { readonly depth_limit?: { readonly global?: number } } } }
    | undefined;
  if (body?.metadata === undefined) return;
  register.push({
    kind: 'read',
    value: body.metadata.api_limits?.depth_limit?.global ?? 0,
    start,
    end: performance.now(),
  });
}
