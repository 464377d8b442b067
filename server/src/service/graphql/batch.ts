/** The order in which the operations of a batch run. */
import type { Cancellation } from '../../base/cancellation.ts';
import { cancellationError } from '../../base/cancellation.ts';
import { yieldToEvents } from '../../base/steps.ts';

interface Request {
  /** The GraphQL document. */
  readonly query: string;
}

/**
 * Runs the operations of a batch and resolves to their results, in the order of the requests. A mutation starts after
 * the operations before it have ended, and ends before those after it start; consecutive queries run concurrently. `run` must not reject. Rejects if the client has disconnected before an operation starts.
 */
export async function runBatch<Item extends Request, Result>(
  requests: readonly Item[],
  signal: Cancellation,
  run: (request: Item, afterMutation: boolean) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let afterMutation = false;
  while (results.length < requests.length) {
    if (signal.aborted) throw cancellationError(signal);
    const group = nextGroup(requests, results.length);
    results.push(...(await Promise.all(await startAll(group, (request) => run(request, afterMutation)))));
    afterMutation ||= group.some(mayChange);
  }
  return results;
}

/** Milliseconds of planning between which other events are handled. */
const SLICE_MS = 20;

/** Starts the operations. Each is planned when it starts, so that many large ones would block the event loop. */
async function startAll<Item, Result>(
  group: readonly Item[],
  run: (request: Item) => Promise<Result>,
): Promise<readonly Promise<Result>[]> {
  const running: Promise<Result>[] = [];
  let began = performance.now();
  for (const request of group) {
    if (performance.now() - began > SLICE_MS) {
      await yieldToEvents();
      began = performance.now();
    }
    running.push(run(request));
  }
  return running;
}

/** Returns the operation at `start`, with the queries after it if it is a query. */
function nextGroup<Item extends Request>(requests: readonly Item[], start: number): readonly Item[] {
  let end = start;
  while (end < requests.length && !mayChange(requests[end])) end++;
  return requests.slice(start, Math.max(end, start + 1));
}

/**
 * Whether the operation may be a mutation. Decided without parsing, before the limits of the role apply: no mutation
 * can be written without its keyword, and a query whose text has the word only runs alone.
 */
function mayChange(request: Request | undefined): boolean {
  return request !== undefined && /\bmutation\b/.test(request.query);
}
