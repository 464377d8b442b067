/** Operations whose results may be many: those of a socket, subscriptions among them. */
import { Cancellation } from '../../base/cancellation.ts';
import { toServiceError } from '../../base/errors.ts';
import { printJson, RawJson } from '../../base/json-value.ts';
import { runInSpan, untraced } from '../../base/telemetry/trace.ts';
import type { ExecutionResult } from '../../execute/context/context.ts';
import { execute } from '../../execute/execute.ts';
import { liveActionTarget } from '../../execute/live/live-action.ts';
import { createLiveQueries, type LiveQueriesOptions, type LiveStats } from '../../execute/live/live-queries.ts';
import { type LiveTarget, liveTarget } from '../../execute/live/live-target.ts';
import type { PlannedOperation } from '../../plan/operation.ts';
import {
  bodyOf,
  contextOf,
  errorsOf,
  type GraphQLCaller,
  type GraphQLRequest,
  type OperationDependencies,
  planOf,
  readingWhere,
} from './handler.ts';
import { LatestValueChannel } from './latest-value-channel.ts';
import { OperationObserver } from './operation-observer.ts';
import { inTime, type RequestTime, startTime } from './time-limit.ts';

/** ResultStream as JSON texts: one of a query or mutation, any number of a subscription. Their end is the operation's. */
export type ResultStream = AsyncGenerator<RawJson, undefined, undefined>;

/** The operation cannot be begun or cannot go on; `errors` are for the client. */
export class OperationRejected extends Error {
  readonly errors: readonly Readonly<Record<string, unknown>>[];

  constructor(errors: readonly Readonly<Record<string, unknown>>[]) {
    super('the operation is refused');
    this.errors = errors;
  }
}

/** Whoever opens operations; each has a signal of its own. */
export interface StreamCaller extends Omit<GraphQLCaller, 'signal'> {
  /** False while results that were sent still wait on the way to the client: nothing is polled for it then. */
  readonly flowing: () => boolean;
}

export interface OperationStreams {
  /**
   * Begins an operation. Throws an OperationRejected when it does not fit the schema; what fails later is a result with `errors`,
   * and reading rejects with an OperationRejected when a change of the metadata leaves no place for it. `return` of the results
   * ends it.
   */
  open(request: GraphQLRequest, opener: StreamCaller): ResultStream;
  /** Resolves when the queries and mutations that are under way have their answers. */
  answered(): Promise<void>;
  readonly stats: () => LiveStats;
  /** Ends polling. */
  close(): void;
}

export type OperationStreamOptions = OperationDependencies &
  Pick<LiveQueriesOptions, 'live' | 'streams' | 'concurrency'>;

export function createOperationStreams(parts: OperationStreamOptions): OperationStreams {
  const { model, observe, guard, rates, trace = untraced } = parts;
  const reading = readingWhere(true, parts);
  const liveQueries = createLiveQueries({ ...parts, database: reading.database });

  const answering = new Set<Promise<void>>();

  /** One result and the end. */
  function answerOnce(
    request: GraphQLRequest,
    caller: GraphQLCaller,
    planned: PlannedOperation,
    admission: Promise<void> | undefined,
    watch: OperationObserver,
    time: RequestTime | undefined,
  ): ResultStream {
    const mailbox = new LatestValueChannel<RawJson>(() => caller.signal.abort());
    const where = planned.plan.kind === 'mutation' ? parts : reading;
    const { kind, name } = planned.plan;
    const attributes = {
      'joinery.role': caller.session.role,
      'graphql.operation.type': kind,
      ...(name !== undefined && { 'graphql.operation.name': name }),
    };
    const answered = (asker: GraphQLCaller): Promise<ExecutionResult> =>
      inTime(time, asker.signal, (signal) =>
        execute(planned.plan, contextOf(request, asker, planned.variables, where, signal)),
      );
    const run = (): Promise<ExecutionResult> =>
      trace.on
        ? runInSpan(trace.start('GraphQL', { attributes }), (span) => answered({ ...caller, span }))
        : answered(caller);
    const running = (admission === undefined ? run() : admission.then(run)).then(
      (result) => {
        const body = bodyOf(result, caller, observe);
        watch.ended(body.length);
        finish(mailbox, body);
      },
      (error) => {
        const body = failed(error, caller);
        watch.ended(body.length, toServiceError(error));
        finish(mailbox, body);
      },
    );
    answering.add(running);
    void running.finally(() => answering.delete(running));
    return mailbox;
  }

  function follow(
    request: GraphQLRequest,
    caller: GraphQLCaller,
    flowing: StreamCaller['flowing'],
    planned: PlannedOperation,
    admission: Promise<void> | undefined,
  ): ResultStream {
    let planOn = model();
    let current: LiveTarget = targetOf(request, caller, planned);
    const mailbox = new LatestValueChannel<RawJson>(() => {
      caller.signal.abort();
      leave();
    });
    const leave = liveQueries.subscribe(current, {
      ready: () => mailbox.ready && flowing(),
      result: (body, errors) => mailbox.put(new RawJson(bodyOf({ body, errors }, caller, observe))),
      failed: (error) => mailbox.put(new RawJson(failed(error, caller))),
      ended: (error) => mailbox.end(new OperationRejected(errorsOf(error, caller, observe))),
      target: () => {
        const latest = model();
        if (latest === planOn) return current;
        current = targetOf(request, caller, planOf(request, caller, latest, guard));
        planOn = latest;
        return current;
      },
    });
    admission?.catch((error: unknown) => {
      leave();
      mailbox.end(new OperationRejected(errorsOf(error, caller, observe)));
    });
    return mailbox;
  }

  function targetOf(request: GraphQLRequest, caller: GraphQLCaller, { plan, variables }: PlannedOperation): LiveTarget {
    const context = contextOf(request, caller, variables, reading);
    return liveActionTarget(plan, context) ?? liveTarget(plan, context);
  }

  /** As clients of the reference know it on sockets: `data` is there, and null. */
  function failed(error: unknown, caller: GraphQLCaller): string {
    return printJson({ data: null, errors: errorsOf(error, caller, observe) });
  }

  return {
    open: (request, opener) => {
      const caller = { ...opener, signal: new Cancellation() };
      const watch = new OperationObserver(request, caller, parts);
      try {
        const now = model();
        const admission = rates(caller.session, caller.address, now);
        const time = startTime(caller.session.role, now);
        const planned = planOf(request, caller, now, guard, time);
        watch.planned(planned);
        if (planned.plan.kind !== 'subscription') return answerOnce(request, caller, planned, admission, watch, time);
        const results = follow(request, caller, opener.flowing, planned, admission);
        watch.ended(0);
        return results;
      } catch (thrown) {
        watch.ended(0, toServiceError(thrown));
        throw new OperationRejected(errorsOf(thrown, caller, observe));
      }
    },
    answered: () => Promise.all(answering).then(() => undefined),
    stats: liveQueries.stats,
    close: liveQueries.close,
  };
}

function finish(mailbox: LatestValueChannel<RawJson>, body: string): void {
  mailbox.put(new RawJson(body));
  mailbox.end();
}
