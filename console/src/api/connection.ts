/** Whether the service is reachable. Every request updates it. */

export interface Connection {
  /** Start of the outage in milliseconds since 1970. Undefined while the service is reachable. */
  lostSince(): number | undefined;
  subscribe(notify: () => void): () => void;
  /** Records that a response arrived, whatever its status. */
  onResponse(): void;
  /** Records that a request got no response. */
  onFailure(now: number): void;
}

export function createConnection(): Connection {
  const listeners = new Set<() => void>();
  let lost: number | undefined;
  const become = (since: number | undefined): void => {
    lost = since;
    for (const notify of listeners) notify();
  };
  return {
    lostSince: () => lost,
    subscribe: (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    onResponse: () => {
      if (lost !== undefined) become(undefined);
    },
    onFailure: (now) => {
      if (lost === undefined) become(now);
    },
  };
}

/** The connection to the service that serves the page. */
export const connection = createConnection();
