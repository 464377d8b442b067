/** The statements of a mutation, recorded without being sent. */
import type { Database } from '../../postgres/client/pool.ts';
import type { ExecuteContext, RecordedStatement } from '../context/context.ts';
import { type MutationGroup, runMutations } from '../mutation/mutation.ts';

/**
 * Returns the statements of one root in order; none if there is nothing to write. Values that depend on the result of an
 * earlier statement, such as keys of nested rows, are null. Throws a ServiceError for invalid data.
 */
export async function mutationStatements(
  group: MutationGroup,
  index: number,
  context: ExecuteContext,
): Promise<readonly RecordedStatement[]> {
  const root = group.roots[index];
  const at = group.at[index];
  if (root === undefined || at === undefined) return [];
  const recorded: RecordedStatement[] = [];
  const idle = (database: Database): Database => ({
    ...database,
    query: unused,
    transaction: (work) => work(unused),
  });
  await runMutations(
    { ...group, roots: [root], at: [at] },
    {
      ...context,
      database: (source) => idle(context.database(source)),
      record: (statement, likely) => {
        recorded.push(statement);
        return likely;
      },
      // Webhooks that validate input are not called.
      httpClient: { ...context.httpClient, call: () => Promise.resolve(accepted) },
      failures: undefined,
    },
  );
  return recorded;
}

const unused: Database['query'] = () => Promise.reject(new TypeError('an explained statement is not run'));

const accepted = { status: 200, headers: [], body: '{}', bytes: Buffer.from('{}'), truncated: false, durationMs: 0 };
