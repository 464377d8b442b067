/** State of the running subscription, the latest results first. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Failure, toFailure } from '../../api/failure.ts';
import type { GraphQLRequest, Headers } from '../../shared/graphql/graphql-api.ts';

export interface Received {
  /** Starts at 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly response: unknown;
}

export interface Subscription {
  readonly state: 'running' | 'ended';
  readonly results: readonly Received[];
  readonly failure: Failure | undefined;
}

/** Maximum number of results. */
const MAX_ENTRIES = 50;

const begun: Subscription = { state: 'running', results: [], failure: undefined };

export function useSubscription(client: Client) {
  const [subscription, setSubscription] = useState<Subscription>();
  const ending = useRef<(() => void) | undefined>(undefined);
  const end = useCallback(() => {
    ending.current?.();
    ending.current = undefined;
  }, []);
  useEffect(() => end, [end]);

  const start = useCallback(
    (request: GraphQLRequest, headers: Headers): void => {
      end();
      let isOver = false;
      let stop: (() => void) | undefined;
      ending.current = () => {
        isOver = true;
        stop?.();
      };
      setSubscription(begun);
      const finish = (failure: Failure | undefined): void => {
        if (isOver) return;
        isOver = true;
        setSubscription((before) => before && { ...before, state: 'ended', failure });
      };
      const onResult = (response: unknown): void => {
        if (isOver) return;
        const at = Date.now();
        setSubscription((before) => {
          if (before === undefined) return before;
          const number = (before.results[0]?.number ?? 0) + 1;
          return { ...before, results: [{ number, at, response }, ...before.results].slice(0, MAX_ENTRIES) };
        });
      };
      // Loads the protocol on demand.
      import('./subscription.ts')
        .then(({ subscribe }) => {
          if (!isOver) stop = subscribe(client, request, headers, { onResult, onEnd: finish });
        })
        .catch((error: unknown) => finish(toFailure(error)));
    },
    [client, end],
  );
  const stop = useCallback(() => {
    end();
    setSubscription((before) => before && { ...before, state: 'ended' });
  }, [end]);
  const clear = useCallback(() => {
    end();
    setSubscription(undefined);
  }, [end]);
  return { subscription, start, stop, clear };
}
