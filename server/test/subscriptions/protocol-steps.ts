/** Plays the messages of a client to a websocket protocol and records what the server does. */
import { expect } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { RawJson } from '../../src/base/json-value.ts';
import type { Protocol } from '../../src/http/websocket/transport-protocol.ts';
import { LatestValueChannel } from '../../src/service/graphql/latest-value-channel.ts';
import { OperationRejected, type ResultStream } from '../../src/service/graphql/result-streams.ts';

/** Longer than a test runs. */
const NEVER_MS = 1_000_000;

/** A message of the client as JSON, an event, or what the server does for it. */
export type Step =
  | { readonly client: unknown }
  | { readonly result: string; readonly of: number }
  | { readonly end: number; readonly error?: OperationRejected }
  | { readonly event: 'admit' | 'forbid' | 'closed' | 'keepAlive' }
  | { readonly server: readonly unknown[] };

export const init: Step = { client: { type: 'connection_init' } };
export const admit: Step = { event: 'admit' };

/** Runs the steps and checks after each `server` step what the server has done since the previous one. */
export async function play(protocol: (initTimeoutMs: number) => Protocol, steps: readonly Step[]): Promise<void> {
  const done: unknown[] = [];
  const streams: LatestValueChannel<RawJson>[] = [];
  let admission: PromiseWithResolvers<void> | undefined;
  const session = protocol(NEVER_MS)(
    {
      send: async (text) => {
        done.push(JSON.parse(text));
      },
      close: (code, reason) => done.push(reason === '' ? code : `${code} ${reason}`),
      hold: () => done.push('stops reading'),
      release: () => done.push('reads'),
    },
    {
      admit: (payload) => {
        done.push(`admits ${JSON.stringify(payload)}`);
        admission = withResolvers();
        return admission.promise;
      },
      open: (payload, others): ResultStream => {
        if (others === 2) throw new OperationRejected([{ message: 'too many' }]);
        const number = streams.length;
        done.push(`opens ${JSON.stringify(payload)}`);
        streams.push(new LatestValueChannel<RawJson>(() => done.push(`ends ${number}`)));
        return streams[number] ?? expect.unreachable();
      },
    },
  );
  for (const step of steps) {
    if ('client' in step) void session.message(step.client);
    else if ('result' in step) streams[step.of]?.put(new RawJson(step.result));
    else if ('end' in step) streams[step.end]?.end(step.error);
    else if ('server' in step) expect(done.splice(0)).toEqual(step.server);
    else if (step.event === 'closed') session.closed();
    else if (step.event === 'keepAlive') session.keepAlive();
    else if (step.event === 'admit') admission?.resolve();
    else admission?.reject(new ServiceError('access-denied', 'wrong secret'));
    await settled();
  }
  expect(done).toEqual([]);
  session.closed();
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve: (() => void) | undefined;
  let reject: ((error: unknown) => void) | undefined;
  const promise = new Promise<void>((...functions) => {
    [resolve, reject] = functions;
  });
  return { promise, resolve: () => resolve?.(), reject: (error) => reject?.(error) };
}

/** Resolves after all promises that are already resolved have been handled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const rejected = new OperationRejected([{ message: 'no such field' }]);

/** Returns the code that the server closes with if no connection_init arrives. */
export function codeWithoutInit(protocol: (initTimeoutMs: number) => Protocol): Promise<number> {
  const nothing = () => undefined;
  return new Promise((resolve) => {
    protocol(1)(
      { send: async () => undefined, close: resolve, hold: nothing, release: nothing },
      { admit: async () => undefined, open: () => expect.unreachable() },
    );
  });
}
