/** Starts and stops the runs of the explorer. A run continues while another tab is shown. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { toFailure } from '../../../api/failure.ts';
import { explain, type GraphQLRequest, type Headers, runAs } from '../../../shared/graphql/graphql-api.ts';
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';
import { changedRun, type Run, type Runs, withResult } from './runs.ts';

export interface RunRequest {
  readonly request: GraphQLRequest;
  readonly kind: NamedOperation['kind'] | undefined;
  /** Without the secret of the sign-in. */
  readonly sent: Headers;
  readonly sendsSecret: boolean;
  /** Role and session variables of the plan. Undefined for no plan. */
  readonly user: Headers | undefined;
  /** Executes the statements of the plan. */
  readonly measure: boolean;
  /** As written, for the history. */
  readonly role: string;
  readonly session: string;
}

export interface RunControl {
  readonly runs: Runs;
  readonly start: (tab: string, request: RunRequest) => void;
  /** Cancels the request or ends the subscription. */
  readonly stop: (tab: string) => void;
  /** Forgets the results of a subscription. */
  readonly clear: (tab: string) => void;
  /** Stops the run and forgets it. */
  readonly drop: (tab: string) => void;
}

/** `onEnd` is called with each run that ended, and not with one that was replaced. */
export function useRuns(client: Client, onEnd: (run: Run, request: RunRequest) => void): RunControl {
  const [runs, setRuns] = useState<Runs>({});
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const stops = useRef(new Map<string, () => void>());
  const clears = useRef(new Map<string, () => void>());
  const count = useRef(0);
  // Requests of mutations continue when the page is left. Subscriptions end.
  const sockets = useRef(new Set<() => void>());
  useEffect(() => {
    const opened = sockets.current;
    return () => {
      for (const close of opened) close();
    };
  }, []);

  const start = useCallback(
    (tab: string, started: RunRequest): void => {
      stops.current.get(tab)?.();
      const { request, kind, sent, sendsSecret, user, measure } = started;
      const number = ++count.current;
      const begun: Run = {
        number,
        kind,
        state: 'running',
        sent,
        response: undefined,
        failure: undefined,
        plan: undefined,
        received: 0,
        results: [],
      };
      let latest = begun;
      const change = (next: (run: Run) => Run): void => {
        latest = next(latest);
        const changed = latest;
        setRuns((before) => changedRun(before, tab, number, () => changed));
      };
      const end = (changes: Partial<Run>): void => {
        if (latest.state !== 'running') return;
        change((run) => ({ ...run, state: 'ended', ...changes }));
        ended.current(latest, started);
      };
      setRuns((before) => ({ ...before, [tab]: begun }));
      const headers = sendsSecret ? { ...client.headersOf({}), ...sent } : sent;
      const aborting = new AbortController();
      let close = (): void => aborting.abort();
      if (kind === 'subscription') {
        close = openSubscription(request, headers, {
          onResult: (response) => {
            if (latest.state === 'running') change((run) => withResult(run, response, Date.now()));
          },
          onEnd: (failure) => end({ failure }),
        });
        sockets.current.add(close);
      } else {
        runAs(client, request, headers, aborting.signal).then(
          (response) => end({ response }),
          (error: unknown) => end({ failure: toFailure(error) }),
        );
      }
      clears.current.set(tab, () => change((run) => ({ ...run, results: [] })));
      stops.current.set(tab, () => {
        close();
        sockets.current.delete(close);
        end({ state: 'canceled' });
      });
      if (user === undefined) return;
      explain(client, request, user, measure && kind === 'query', aborting.signal).then(
        (steps) => change((run) => ({ ...run, plan: { steps, failure: undefined } })),
        (error: unknown) => {
          if (!aborting.signal.aborted)
            change((run) => ({ ...run, plan: { steps: undefined, failure: toFailure(error) } }));
        },
      );
    },
    [client],
  );
  const stop = useCallback((tab: string) => stops.current.get(tab)?.(), []);
  const clear = useCallback((tab: string) => clears.current.get(tab)?.(), []);
  const drop = useCallback((tab: string) => {
    stops.current.get(tab)?.();
    stops.current.delete(tab);
    clears.current.delete(tab);
    setRuns((before) => Object.fromEntries(Object.entries(before).filter(([id]) => id !== tab)));
  }, []);
  return useMemo(() => ({ runs, start, stop, clear, drop }), [runs, start, stop, clear, drop]);
}

interface Subscriber {
  readonly onResult: (response: unknown) => void;
  readonly onEnd: (failure: ReturnType<typeof toFailure> | undefined) => void;
}

/** Loads the protocol on demand. Returns a function that ends the subscription. */
function openSubscription(request: GraphQLRequest, headers: Headers, subscriber: Subscriber): () => void {
  let isOver = false;
  let stop: (() => void) | undefined;
  import('./subscription.ts')
    .then(({ subscribe }) => {
      if (!isOver) stop = subscribe(request, headers, subscriber);
    })
    .catch((error: unknown) => subscriber.onEnd(toFailure(error)));
  return () => {
    isOver = true;
    stop?.();
  };
}
