/** The statement that a subscription polls, which is shared by its cohort, and the values of the subscription. */
import type { SourceName } from '@joinery/metadata/names';
import type { Cancellation } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { StreamPlan } from '../../plan/plan/query.ts';
import { encodeParameter } from '../../postgres/sql/parameters.ts';
import { bind, type Slot } from '../../postgres/sql/sql.ts';
import { type LiveRoot, type LiveStatement, printLive } from '../../print/multiplexed/live.ts';
import type { PrintSettings } from '../../print/printing.ts';
import { isDatabaseRoot, rowsOfRoot } from '../../print/roots.ts';
import type { ExecuteContext, ExecutionResult } from '../context/context.ts';
import { withRowLimit } from '../context/row-limit.ts';
import { bindings } from '../context/statement.ts';
import { withinSpan } from '../context/traced.ts';
import { holdsJoins } from '../join/key-collector.ts';
import { shapeOf, withJoins } from '../query/rows.ts';
import { Failures } from '../response/field-errors.ts';
import { type Envelope, envelopeOf, pathOfRoot, printBody } from '../response/response.ts';

/** What a poll needs of a target. */
export interface PolledTarget {
  /** Live queries deliver every changed result, streams every row. */
  readonly kind: 'live' | 'stream';
  /** Undefined: the database with the schema `joinery`. */
  readonly source: SourceName | undefined;
  readonly text: string;
  /** The parameters in text form, one for each list of the statement. */
  readonly values: readonly (string | null)[];
  /** The quoted names of the tables that the statement reads; undefined if its result depends on more than their rows. */
  readonly tables: readonly string[] | undefined;
  /** Whether the statement may run twice: reading has no effects. */
  readonly isRepeatable: boolean;
  /** The path in the operation, for errors. */
  readonly path: string;
  /** Whether the primary is polled where others poll replicas. */
  readonly readsPrimary?: boolean;
}

export interface LiveTarget extends PolledTarget {
  /** The origin of each of `values`. */
  readonly slots: readonly Slot[];
  /** The initial cursor of a stream; null for a live query. */
  readonly known: string | null;
  /**
   * Returns the response with the JSON text of the root. Joins are executed for each subscriber at every change; their
   * cost is not shared. Their errors are returned beside the data.
   */
  body(result: string, signal: Cancellation, span?: Span): string | Promise<JoinedBody>;
}

export type JoinedBody = Pick<ExecutionResult, 'body' | 'errors'>;

/** Returns the target of a subscription. Throws a ServiceError for an invalid or missing value. */
export function liveTarget(plan: OperationPlan, outer: ExecuteContext): LiveTarget {
  const context = withRowLimit(plan, outer);
  const [root] = plan.roots;
  if (root === undefined || !isLive(root)) throw new TypeError('the plan is not that of a subscription');
  const { statement, envelope, joined } = preparedOf(plan, root, context.settings);
  const { text, slots, tables, isRepeatable } = statement;
  return {
    kind: root.kind === 'stream' ? 'stream' : 'live',
    source: tableOf(root).source,
    text,
    values: bind({ text, slots }, bindings(context)).map(asText),
    slots,
    tables,
    isRepeatable,
    known: root.kind === 'stream' ? firstCursor(root.stream, context) : null,
    path: pathOfRoot(root),
    body: (result, signal, span) => {
      if (joined === undefined) return printBody(envelope, [result]);
      const failures = new Failures();
      return withJoins([joined], [result], withinSpan({ ...context, signal, failures }, span)).then((texts) => {
        return { body: printBody(envelope, texts), errors: failures.list() };
      });
    },
  };
}

/** Returns source and text of the polled statement; undefined if it has joins, or if no statement of a source is polled. */
export function liveText(plan: OperationPlan, settings: PrintSettings): readonly string[] | undefined {
  const [root] = plan.roots;
  if (root === undefined || !isLive(root)) return undefined;
  const { statement, joined } = preparedOf(plan, root, settings);
  return joined === undefined ? [tableOf(root).source, statement.text] : undefined;
}

interface Prepared {
  readonly statement: LiveStatement;
  readonly envelope: Envelope;
  /** The root, if its JSON contains joins. */
  readonly joined: Parameters<typeof shapeOf>[0] | undefined;
}

/** Cached for the lifetime of the plan. */
const cache = { exact: new WeakMap<OperationPlan, Prepared>(), stringified: new WeakMap<OperationPlan, Prepared>() };

function preparedOf(plan: OperationPlan, root: LiveRoot, settings: PrintSettings): Prepared {
  const known = settings.stringifyNumerics ? cache.stringified : cache.exact;
  const found = known.get(plan);
  if (found !== undefined) return found;
  const asRows =
    root.kind === 'stream'
      ? ({ kind: 'rows', alias: root.alias, rows: root.stream.rows, shape: 'list' } as const)
      : root;
  const joined = holdsJoins(shapeOf(asRows)) ? asRows : undefined;
  const made = { statement: printLive(root, settings), envelope: envelopeOf(plan), joined };
  known.set(plan, made);
  return made;
}

function isLive(root: OperationPlan['roots'][number]): root is LiveRoot {
  return root.kind === 'stream' || isDatabaseRoot(root);
}

function tableOf(root: LiveRoot) {
  return root.kind === 'stream' ? root.stream.rows.table : rowsOfRoot(root).table;
}

function firstCursor({ column, initial }: StreamPlan, { variables }: ExecuteContext): string {
  const value =
    initial.kind === 'constant' ? initial.value : initial.kind === 'variable' ? variables[initial.name] : undefined;
  const cursor = asText(encode(column.type, value));
  if (cursor !== null) return cursor;
  throw new ServiceError(
    'validation-failed',
    'a cursor cannot start at null; give the value after which the stream starts',
  );
}

/** Returns the text form of a value, for a list of texts. An array becomes one text. */
function asText(value: unknown): string | null {
  const encoded = encodeParameter(value);
  return Buffer.isBuffer(encoded) ? `\\x${encoded.toString('hex')}` : encoded;
}
