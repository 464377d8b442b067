/** Whether the service answers: told by every request, heard by whoever shows it. */

export interface Connection {
  /** Milliseconds since 1970 since when nothing answers; undefined while something does. */
  lostSince(): number | undefined;
  subscribe(notify: () => void): () => void;
  /** A request was answered, whatever the answer was. */
  answered(): void;
  /** A request was not. */
  unanswered(now: number): void;
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
    answered: () => {
      if (lost !== undefined) become(undefined);
    },
    unanswered: (now) => {
      if (lost === undefined) become(now);
    },
  };
}

/** There is one service, that of the page. */
export const connection = createConnection();
