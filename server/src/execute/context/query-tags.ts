/** Comments of SQL statements that name the GraphQL operation, as `query_tags` of the source configures them. */
import type { SourceName } from '@joinery/metadata/names';
import type { QueryTags } from '@joinery/metadata/schema/sources';
import { LRUCache } from 'lru-cache';
import type { Model } from '../../model/model.ts';
import type { Source } from '../../model/types/source.ts';
import type { PlannedOperation } from '../../plan/operation.ts';
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { planHash } from '../explain/plan-hash.ts';
import type { LiveTarget } from '../live/live-target.ts';
import { responsePathOf } from '../response/response.ts';
import type { ExecuteSettings } from './context.ts';

type Tagged = Pick<PlannedOperation, 'plan' | 'prepared'>;
type Tag = readonly [name: string, value: string];

/**
 * Maximum number of comments with which one statement is prepared. Further operations with the same SQL, such as those of a
 * client that sends a new name each time, run without a prepared statement, so that their number has a limit.
 */
const MOST_COMMENTS = 4;

/** The comments with which each statement of a source was prepared. */
const prepared = new WeakMap<Source, LRUCache<string, Set<string>>>();

/** Returns the databases of the sources; their statements have the comments that the model configures. */
export function withQueryTags(
  database: (source: SourceName) => Database,
  operation: Tagged,
  requestId: string,
  settings: ExecuteSettings,
): (source: SourceName) => Database {
  const { plan } = operation;
  const { model } = operation.prepared.roleSchema;
  if (!hasQueryTags(model)) return database;
  return (name) => {
    const source = model.sources.get(name);
    const tagsIn = source?.queryTags;
    if (source === undefined || tagsIn === undefined) return database(name);
    const isPerRequest = tagsIn.omit_request_id === false;
    const tagged = (perRequest: readonly Tag[]): Database => {
      const operationName: readonly Tag[] = plan.name === undefined ? [] : [['operation_name', plan.name]];
      const tags = [...perRequest, ...tagsOf(operation, settings), ...operationName];
      return taggedDatabase(database(name), source, commentOf(tags, tagsIn), isPerRequest);
    };
    return isPerRequest ? tagged([['request_id', requestId]]) : sharedDatabase(plan, database(name), () => tagged([]));
  };
}

/** By plan and database. Requests with the same plan have the same comment, so that their statements can be merged. */
const shared = new WeakMap<OperationPlan, WeakMap<Database, Database>>();

function sharedDatabase(plan: OperationPlan, database: Database, create: () => Database): Database {
  const known = shared.get(plan) ?? new WeakMap<Database, Database>();
  shared.set(plan, known);
  const found = known.get(database) ?? create();
  known.set(database, found);
  return found;
}

/** Returns the target with a comment that all subscribers of the same statement share. */
export function withLiveTags(target: LiveTarget, operation: Tagged, settings: ExecuteSettings): LiveTarget {
  const tags = target.source && operation.prepared.roleSchema.model.sources.get(target.source)?.queryTags;
  if (tags === undefined) return target;
  return { ...target, text: commentOf(tagsOf(operation, settings), tags)(target.text) };
}

const tagging = new WeakMap<Model, boolean>();

function hasQueryTags(model: Model): boolean {
  const known = tagging.get(model);
  if (known !== undefined) return known;
  const found = [...model.sources.values()].some(({ queryTags }) => queryTags !== undefined);
  tagging.set(model, found);
  return found;
}

/** The tags that depend on the plan only. `field_name` lists all root fields, which one statement may have. */
function tagsOf({ plan, prepared: operation }: Tagged, settings: ExecuteSettings): readonly Tag[] {
  return [
    ['field_name', plan.roots.map((root) => responsePathOf(root).join('.')).join(',')],
    ['parameterized_query_hash', planHash(plan, operation, { settings })],
  ];
}

/** Returns a function that adds the comment to a statement. */
export function commentOf(tags: readonly Tag[], { format }: QueryTags): (text: string) => string {
  if (format === 'sqlcommenter') {
    const sorted = tags.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const comment = sorted.map(([name, value]) => `${name}='${escaped(value, /[^\w.-]/g)}'`).join(',');
    return (text) => `${text} /*${comment}*/`;
  }
  const comment = `/* ${tags.map(([name, value]) => `${name}=${escaped(value, /[^\w.,:@-]/g)}`).join(', ')} */`;
  return format === 'standard_prepended' ? (text) => `${comment} ${text}` : (text) => `${text} ${comment}`;
}

/** Percent-encodes characters, so that no value begins or ends a comment. */
function escaped(value: string, characters: RegExp): string {
  return value.replaceAll(characters, (character) =>
    Array.from(Buffer.from(character, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  );
}

function taggedDatabase(
  database: Database,
  source: Source,
  comment: (text: string) => string,
  isPerRequest: boolean,
): Database {
  const tagged = (query: Query): Query => {
    return (run, options) => query({ ...run, text: comment(run.text) }, options);
  };
  return {
    ...database,
    ...(isPerRequest && { ofOneRequest: true }),
    query: tagged(database.query),
    transaction: (work, options) => database.transaction((query) => work(tagged(query)), options),
    session: (work) => database.session((query) => work(tagged(query))),
    // A text that differs at each request must not be prepared.
    prepared: (text) => {
      if (isPerRequest) return undefined;
      const one = comment(text);
      return mayPrepare(source, text, one) ? database.prepared(one) : undefined;
    },
  };
}

function mayPrepare(source: Source, text: string, commented: string): boolean {
  const texts = prepared.get(source) ?? new LRUCache<string, Set<string>>({ max: 500 });
  prepared.set(source, texts);
  const comments = texts.get(text) ?? new Set();
  if (!comments.has(commented) && comments.size >= MOST_COMMENTS) return false;
  comments.add(commented);
  texts.set(text, comments);
  return true;
}
