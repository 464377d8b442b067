/** The statements of a mutation, made by the code that would run it and sent nowhere. */
import type { Database } from '../../postgres/client/pool.ts';
import type { ExecuteContext, RecordedStatement } from '../context/context.ts';
import { type MutationGroup, runMutations } from '../mutation/mutation.ts';

/**
 * The statements of one root in their order, none where there is nothing to write. What one of them would bring to the
 * next is null in it: keys of nested rows, and the rows that are read again for the answer. Throws a ServiceError where the
 * data does not fit.
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
      // Webhooks that check input are not asked.
      httpClient: { ...context.httpClient, call: () => Promise.resolve(accepted) },
      failures: undefined,
    },
  );
  return recorded;
}

const unused: Database['query'] = () => Promise.reject(new TypeError('what is explained does not run'));

const accepted = { status: 200, headers: [], body: '{}', bytes: Buffer.from('{}'), truncated: false, durationMs: 0 };
