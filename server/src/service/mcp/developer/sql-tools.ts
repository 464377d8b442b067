/** Tools that run SQL in the database of a source. */
import { statementsOf } from '@joinery/metadata/sql/statements';
import { z } from 'zod';
import { defineTool, type Tool } from '../tool.ts';
import { type DeveloperDependencies, runCommand, unconfirmed, withinSeconds } from './context.ts';

/** Seconds after which SQL that reads is canceled. */
const READ_SECONDS = 60;
const LONGEST_STATEMENT = 200;

const common = {
  sql: z.string().min(1).max(1_000_000),
  source: z.string().min(1).default('default'),
};

export function sqlTools(dependencies: DeveloperDependencies): readonly Tool[] {
  return [
    defineTool({
      name: 'query_sql',
      scope: 'sql:read',
      description: `Runs SQL in a read-only transaction of a source and returns the rows of each statement. It is canceled after ${READ_SECONDS} s.`,
      annotations: { title: 'Query by SQL', readOnlyHint: true },
      args: z.strictObject({ ...common, max_rows: z.int().min(1).max(1_000).default(100) }),
      run: ({ sql, source, max_rows }, caller) =>
        withinSeconds(READ_SECONDS, caller, (limited) =>
          runCommand(dependencies, limited, {
            type: 'run_sql',
            args: { sql, source, read_only: true, all_results: { max_rows } },
          }),
        ),
    }),
    defineTool({
      name: 'run_sql',
      scope: 'sql:write',
      description:
        'Runs SQL that may write, in one transaction of a source, and updates the metadata to it. Without "confirm": true it runs nothing, and returns the statements that it would run.',
      annotations: { title: 'Change a database by SQL', readOnlyHint: false, destructiveHint: true },
      args: z.strictObject({
        ...common,
        cascade: z.boolean().default(false).describe('Drop the metadata of objects that the SQL breaks.'),
        max_rows: z.int().min(1).max(1_000).default(100),
        confirm: z.boolean().default(false),
      }),
      run: async ({ sql, source, cascade, max_rows, confirm }, caller) => {
        if (!confirm) {
          const statements = statementsOf(sql).map(({ text }) => text.slice(0, LONGEST_STATEMENT));
          return unconfirmed({ source, statements });
        }
        const args = { sql, source, cascade, all_results: { max_rows } };
        return { done: true, result: await runCommand(dependencies, caller, { type: 'run_sql', args }) };
      },
    }),
  ];
}
