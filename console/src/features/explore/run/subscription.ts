/** A subscription over the websocket. */
import { createClient, type Client as Socket } from 'graphql-ws';
import { parseExactly, preserveDigits } from '../../../api/exact-json.ts';
import { Failure, toFailure, unreachable } from '../../../api/failure.ts';
import type { GraphQLRequest, Headers } from '../../../shared/graphql/graphql-api.ts';

export interface Subscriber {
  onResult(response: unknown): void;
  /** Called at the end. `failure` is set unless the service completed the subscription. */
  onEnd(failure: Failure | undefined): void;
}

/** Starts a subscription and returns a function that ends it. Throws when the variables are not JSON. */
export function subscribe(request: GraphQLRequest, headers: Headers, subscriber: Subscriber): () => void {
  const { query, variables, operationName } = request;
  const given = variables.trim() === '' ? undefined : (parseExactly(variables) as Record<string, unknown>);
  const socket = connect(headers);
  const stop = socket.subscribe(
    { query, ...(given !== undefined && { variables: given }), ...(operationName !== undefined && { operationName }) },
    {
      next: (response) => subscriber.onResult(response),
      error: (error) => {
        subscriber.onEnd(failureOf(error));
        void socket.dispose();
      },
      complete: () => {
        subscriber.onEnd(undefined);
        void socket.dispose();
      },
    },
  );
  return () => {
    stop();
    void socket.dispose();
  };
}

/** A lost connection is not restored, because results in between would be missing. */
function connect(headers: Headers): Socket {
  const url = new URL('/v1/graphql', window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return createClient({
    url: url.href,
    connectionParams: { headers },
    retryAttempts: 0,
    jsonMessageReviver: preserveDigits,
  });
}

/** Errors are a list for GraphQL and an event for a closed socket. */
function failureOf(error: unknown): Failure {
  if (Array.isArray(error)) {
    const [first] = error as readonly { message?: string; extensions?: { code?: string; path?: string } }[];
    const { code = 'unexpected', path = '$' } = first?.extensions ?? {};
    return new Failure({ code, path, message: first?.message ?? 'The subscription was rejected', status: 200 });
  }
  if (typeof error === 'object' && error !== null && 'reason' in error && 'code' in error) {
    const { reason, code } = error as { reason: string; code: number };
    if (reason === '') return unreachable(error);
    return new Failure({ code: 'unexpected', message: `The connection was closed: ${reason} (${code})`, status: code });
  }
  return error instanceof Error ? toFailure(error) : unreachable(error);
}
