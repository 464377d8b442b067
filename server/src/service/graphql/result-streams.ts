/** Operations of sockets: streams of results, those of subscriptions among them. */
import type { SourceName } from '@joinery/metadata/names';
import { Cancellation } from '../../base/cancellation.ts';
import { printJson, RawJson } from '../../base/json-value.ts';
import { withLiveTags } from '../../execute/context/query-tags.ts';
import { liveActionTarget } from '../../execute/live/live-action.ts';
import { createLiveQueries, type LiveQueriesOptions, type LiveStats } from '../../execute/live/live-queries.ts';
import { type LiveTarget, liveTarget } from '../../execute/live/live-target.ts';
import type { PlannedOperation } from '../../plan/operation.ts';
import { readConsistencyOf } from '../sources/read-consistency.ts';
import { LatestValueChannel } from './latest-value-channel.ts';
import {
  contextOf,
  type GraphQLCaller,
  type GraphQLRequest,
  type OperationDependencies,
  type OperationOutcome,
  planRequest,
  printResult,
  reportErrors,
  reportFieldErrors,
  runOperation,
} from './run-operation.ts';

/** Results as JSON texts: one of a query or mutation, any number of a subscription. */
export type ResultStream = AsyncGenerator<RawJson, undefined, undefined>;

/** The operation cannot start or go on; `errors` are for the client. */
export class OperationRejected extends Error {
  readonly errors: readonly Readonly<Record<string, unknown>>[];

  constructor(errors: readonly Readonly<Record<string, unknown>>[]) {
    super('the operation is rejected');
    this.errors = errors;
  }
}

/** The caller of a socket; each of its operations has a signal of its own. */
export interface StreamCaller extends Omit<GraphQLCaller, 'signal'> {
  /** False while results wait on the way to the client: its subscriptions are not polled then. */
  readonly flowing: () => boolean;
}

export interface OperationStreams {
  /**
   * Starts an operation. Reading rejects with an OperationRejected when the operation is rejected, also by a change of
   * the metadata later; what fails in execution is a result with `errors`. `return` of the stream ends the operation.
   */
  open(request: GraphQLRequest, caller: StreamCaller): ResultStream;
  /** Resolves when the queries and mutations under way have ended. */
  idle(): Promise<void>;
  readonly stats: () => LiveStats;
  /** Ends polling. */
  close(): void;
}

export interface OperationStreamOptions
  extends OperationDependencies,
    Pick<LiveQueriesOptions, 'live' | 'streams' | 'concurrency' | 'peers'> {
  /** Whether polls are skipped while the position of the source does not change. Default: false. */
  readonly skipUnchanged?: boolean;
}

export function createOperationStreams(options: OperationStreamOptions): OperationStreams {
  const { model, observe, limits, database, reading = database } = options;
  // Replicas are polled in turn, so that the position of one does not show whether a poll is needed.
  const hasPosition = (source: SourceName): boolean => reading(source) === database(source);
  const primary = database;
  const liveQueries = createLiveQueries({
    ...options,
    database: (source, readsPrimary) => (readsPrimary ? primary(source) : reading(source)),
    hasPosition: options.skipUnchanged ? hasPosition : undefined,
  });
  const active = new Set<Promise<void>>();

  function open(request: GraphQLRequest, streamCaller: StreamCaller): ResultStream {
    const caller = { ...streamCaller, signal: new Cancellation() };
    let leave = (): void => undefined;
    const channel = new LatestValueChannel<RawJson>(() => {
      caller.signal.abort();
      leave();
    });
    const running = runOperation(request, caller, options, {
      subscribe: (operation) => {
        if (!caller.signal.aborted) leave = subscribe(request, caller, streamCaller.flowing, operation, channel);
      },
    }).then((outcome) => finish(outcome, caller, channel));
    active.add(running);
    void running.finally(() => active.delete(running));
    return channel;
  }

  function finish(outcome: OperationOutcome, caller: GraphQLCaller, channel: LatestValueChannel<RawJson>): void {
    if (outcome.kind === 'subscribed') return;
    if (outcome.kind === 'failed' && outcome.stage === 'rejected') {
      channel.end(rejected(outcome.thrown, caller));
      return;
    }
    if (outcome.kind === 'failed') channel.put(failed(outcome.thrown, caller));
    else {
      reportFieldErrors(outcome.errors, caller, observe);
      channel.put(new RawJson(outcome.body));
    }
    channel.end();
  }

  /** Returns a function that ends the subscription. */
  function subscribe(
    request: GraphQLRequest,
    caller: GraphQLCaller,
    flowing: StreamCaller['flowing'],
    operation: PlannedOperation,
    channel: LatestValueChannel<RawJson>,
  ): () => void {
    let plannedOn = operation.prepared.roleSchema.model;
    let current = targetOf(request, caller, operation);
    return liveQueries.subscribe(current, {
      ready: () => channel.ready && flowing(),
      result: (body, errors) => {
        reportFieldErrors(errors, caller, observe);
        channel.put(new RawJson(printResult({ body, errors }, caller)));
      },
      failed: (error) => channel.put(failed(error, caller)),
      ended: (error) => channel.end(rejected(error, caller)),
      target: () => {
        const latest = model();
        if (latest === plannedOn) return current;
        current = targetOf(request, caller, planRequest(request, caller, latest, limits));
        plannedOn = latest;
        return current;
      },
    });
  }

  function targetOf(request: GraphQLRequest, caller: GraphQLCaller, operation: PlannedOperation): LiveTarget {
    // A position is that of one moment; a subscription is polled again and again.
    const readsPrimary = readConsistencyOf(caller.headers) === 'primary';
    const context = contextOf(request, caller, operation, options, readsPrimary ? 'primary' : undefined);
    const { plan } = operation;
    const action = liveActionTarget(plan, context);
    if (action !== undefined) return action;
    const target = withLiveTags(liveTarget(plan, context), operation, options.settings);
    return readsPrimary && target.source !== undefined && !hasPosition(target.source)
      ? { ...target, readsPrimary }
      : target;
  }

  function rejected(thrown: unknown, caller: GraphQLCaller): OperationRejected {
    return new OperationRejected(reportErrors(thrown, caller, observe));
  }

  /** As Hasura v2 sends it on sockets: `data` is present, and null. */
  function failed(thrown: unknown, caller: GraphQLCaller): RawJson {
    return new RawJson(printJson({ data: null, errors: reportErrors(thrown, caller, observe) }));
  }

  return {
    open,
    idle: () => Promise.all(active).then(() => undefined),
    stats: liveQueries.stats,
    close: liveQueries.close,
  };
}
