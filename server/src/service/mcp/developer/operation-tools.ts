/** Tools that search the schema of a role, and run and explain operations as a role. */
import { z } from 'zod';
import { RawJson } from '../../../base/json-value.ts';
import type { GraphQLRequest } from '../../graphql/run-operation.ts';
import { operationArguments, search, searchArguments } from '../application-tools.ts';
import { runRequest, validateRequest } from '../operation-tools.ts';
import { defineTool, type McpCaller, type Tool } from '../tool.ts';
import { actingArguments, actingCaller } from './acting-role.ts';
import { type DeveloperDependencies, unconfirmed } from './context.ts';

const operation = { ...operationArguments, ...actingArguments };

type Operation = z.output<z.ZodObject<typeof operation>>;

function requestOf({ query, variables, operation_name: operationName }: Operation): GraphQLRequest {
  return { query, variables, operationName };
}

export function operationTools(dependencies: DeveloperDependencies): readonly Tool[] {
  const { operations, graphql } = dependencies;
  const acting = (caller: McpCaller, args: Pick<Operation, 'role' | 'session_variables'>): McpCaller =>
    actingCaller(caller, args, operations.settings.sessionPrefix);
  return [
    defineTool({
      name: 'search_schema',
      scope: 'metadata:read',
      description: 'Searches the GraphQL schema of a role by words, and returns root fields and types as SDL.',
      annotations: { title: 'Search the GraphQL schema', readOnlyHint: true },
      args: z.strictObject({ ...searchArguments, role: actingArguments.role }),
      run: ({ role, ...args }, caller) =>
        search(args, acting(caller, { role, session_variables: {} }).session, operations),
    }),
    defineTool({
      name: 'validate_operation',
      scope: 'metadata:read',
      description: 'Validates a GraphQL operation in the schema of a role and against its limits, without running it.',
      annotations: { title: 'Validate a GraphQL operation', readOnlyHint: true },
      args: z.strictObject(operation),
      run: async (args, caller) => validateRequest(requestOf(args), acting(caller, args), operations),
    }),
    defineTool({
      name: 'explain_operation',
      scope: 'metadata:read',
      description:
        'Returns the SQL statements and plans, calls of handlers and upstream requests of an operation as a role, without running it.',
      annotations: { title: 'Explain a GraphQL operation', readOnlyHint: true },
      args: z.strictObject(operation),
      run: async (args, caller) => {
        const form = { format: 'tree', plan: 'json' } as const;
        const { body } = await graphql.explain(requestOf(args), acting(caller, args), form);
        return { text: body, isError: body.startsWith('{"errors":') };
      },
    }),
    defineTool({
      name: 'run_query',
      scope: 'data:read',
      description: 'Runs a GraphQL query as a role, with all limits of the role.',
      annotations: { title: 'Run a query as a role', readOnlyHint: true },
      args: z.strictObject(operation),
      run: (args, caller) => {
        const queriesOnlyReason = 'run_query runs queries only; use run_mutation';
        return runRequest(
          requestOf(args),
          { ...acting(caller, args), queriesOnly: true, queriesOnlyReason },
          operations,
        );
      },
    }),
    defineTool({
      name: 'run_mutation',
      scope: 'data:write',
      description:
        'Runs a GraphQL mutation as a role, with all limits of the role. Without "confirm": true it runs nothing, and returns whether the operation is valid.',
      annotations: { title: 'Run a mutation as a role', readOnlyHint: false, destructiveHint: true },
      args: z.strictObject({ ...operation, confirm: z.boolean().default(false) }),
      run: async ({ confirm, ...args }, caller) => {
        const as = acting(caller, args);
        if (!confirm) return unconfirmed(validateRequest(requestOf(args), as, operations));
        const { text, isError } = await runRequest(requestOf(args), as, operations);
        return isError ? { text, isError } : { done: true, result: new RawJson(text) };
      },
    }),
  ];
}
