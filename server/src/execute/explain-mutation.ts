/** The statement of a mutation, made by the code that would run it and sent nowhere. */
import type { Database } from '../postgres/pool.ts';
import type { ExecuteContext } from './context.ts';
import { type MutationGroup, runMutations } from './mutate.ts';

export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Thrown in place of running a statement. */
class Recorded extends Error {
  readonly statement: RecordedStatement;
  constructor(statement: RecordedStatement) {
    super('explained, not run');
    this.statement = statement;
  }
}

/**
 * The first statement of the root: the only one but for nested inserts and several updates, whose further statements
 * depend on what the first brings. Undefined where there is nothing to write. Throws a ServiceError where the data does
 * not fit.
 */
export async function mutationStatement(
  group: MutationGroup,
  index: number,
  context: ExecuteContext,
): Promise<RecordedStatement | undefined> {
  const root = group.roots[index];
  const at = group.at[index];
  if (root === undefined || at === undefined) return undefined;
  let recorded: RecordedStatement | undefined;
  const record: Database['query'] = ({ text, values }) => {
    recorded ??= { text, values };
    return Promise.reject(new Recorded(recorded));
  };
  const recording = (database: Database): Database => ({
    ...database,
    query: record,
    transaction: (work) => work(record),
  });
  try {
    await runMutations(
      { ...group, roots: [root], at: [at] },
      {
        ...context,
        database: (source) => recording(context.database(source)),
        // Webhooks that check input are not asked.
        outbound: { ...context.outbound, call: () => Promise.resolve(accepted) },
        failures: undefined,
      },
    );
  } catch (error) {
    if (recorded === undefined) throw error;
  }
  return recorded;
}

const accepted = { status: 200, headers: [], body: '{}', truncated: false, durationMs: 0 };
