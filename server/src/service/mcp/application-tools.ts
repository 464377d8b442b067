/** The tools of applications: saved operations, a search of the schema, and arbitrary operations, all as the role of the caller. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { RoleName } from '@joinery/metadata/names';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { type RoleSchema, roleSchema } from '../../schema/role-schema.ts';
import type { OperationDependencies } from '../graphql/run-operation.ts';
import { countCall, mayReadSchema, runRequest, validateRequest } from './operation-tools.ts';
import { type CollectionChoice, savedOperationTools } from './saved-operations.ts';
import { describeType, searchSchema } from './schema-search.ts';
import { defineTool, type Tool } from './tool.ts';

export interface ApplicationSettings {
  readonly collections: CollectionChoice;
  /** Whether `run_operation` runs mutations. Saved mutations are tools regardless. */
  readonly mutations: boolean;
}

interface ApplicationDependencies extends OperationDependencies {
  readonly metadata: () => Metadata;
}

/** Roles whose tools are cached for one schema; a schema may be that of any number of unknown roles. */
const MAX_ROLES = 100;

/** Returns a function that lists the tools of a session. */
export function createApplicationTools(
  dependencies: ApplicationDependencies,
  { collections, mutations }: ApplicationSettings,
): (session: Session) => readonly Tool[] {
  const common = [searchTool(dependencies), validateTool(dependencies), runTool(dependencies, mutations)];
  const reserved = new Set(common.map(({ name }) => name));
  const reportMissing = missingReporter(dependencies, collections);
  const cache = new WeakMap<RoleSchema['schema'], LRUCache<RoleName, readonly Tool[]>>();
  return ({ role, backend }) => {
    const schema = roleSchema(dependencies.model(), role, backend);
    const byRole = cache.get(schema.schema) ?? new LRUCache<RoleName, readonly Tool[]>({ max: MAX_ROLES });
    cache.set(schema.schema, byRole);
    const known = byRole.get(role);
    if (known !== undefined) return known;
    reportMissing();
    const saved = savedOperationTools(dependencies.metadata(), collections, schema, dependencies, reserved);
    const tools = [...saved, ...common];
    byRole.set(role, tools);
    return tools;
  };
}

/** Returns a function that warns once of each collection that the settings name and the metadata does not have. */
function missingReporter(
  { metadata, observe }: Pick<ApplicationDependencies, 'metadata' | 'observe'>,
  choice: CollectionChoice,
): () => void {
  const unreported = new Set(typeof choice === 'string' ? [] : choice);
  return () => {
    if (unreported.size === 0) return;
    const known = new Set<string>(metadata().query_collections?.map(({ name }) => name));
    for (const name of [...unreported].filter((one) => !known.has(one))) {
      unreported.delete(name);
      const message = `JOINERY_MCP_COLLECTIONS names "${name}", and the metadata has no such query collection`;
      observe({ kind: 'note', level: 'warn', where: 'MCP', message });
    }
  };
}

export const operationArguments = {
  query: z.string().min(1).describe('The GraphQL document.'),
  variables: z.record(z.string(), z.unknown()).optional().describe('The values of its variables.'),
  operation_name: z.string().optional().describe('The operation to run, where the document has several.'),
};

export const searchArguments = {
  words: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Words that names or descriptions of root fields and types contain.'),
  type: z.string().min(1).max(1_000).optional().describe('The exact name of a type, also of an input type.'),
};

/** Returns the SDL that `words` or `type` selects, for a role that may read its schema. */
export async function search(
  { words, type }: { readonly words?: string | undefined; readonly type?: string | undefined },
  session: Session,
  dependencies: OperationDependencies,
): Promise<string> {
  const { role, backend } = session;
  if (!mayReadSchema(session, dependencies)) {
    throw new ServiceError('validation-failed', `the role "${role}" may not read the schema; an admin can permit it`);
  }
  if ((words === undefined) === (type === undefined)) {
    throw new ServiceError('parse-failed', 'give either "words" or "type"', { path: '$.arguments' });
  }
  const schema = roleSchema(dependencies.model(), role, backend);
  return type === undefined ? searchSchema(schema, words ?? '') : describeType(schema, type);
}

function searchTool(dependencies: OperationDependencies): Tool {
  return defineTool({
    name: 'search_schema',
    description:
      'Searches the GraphQL schema of your role by words, and returns root fields and types as SDL. With "type" it returns one type, such as the input type of an argument.',
    annotations: { title: 'Search the GraphQL schema', readOnlyHint: true },
    args: z.strictObject(searchArguments),
    run: async (args, caller) => {
      await countCall(caller, dependencies);
      return search(args, caller.session, dependencies);
    },
  });
}

function validateTool(dependencies: OperationDependencies): Tool {
  return defineTool({
    name: 'validate_operation',
    description:
      'Validates a GraphQL operation in the schema of your role and against its limits, without running it. Returns its kind, depth and number of fields, or its errors.',
    annotations: { title: 'Validate a GraphQL operation', readOnlyHint: true },
    args: z.strictObject({ query: operationArguments.query, operation_name: operationArguments.operation_name }),
    run: async ({ query, operation_name: operationName }, caller) => {
      await countCall(caller, dependencies);
      return validateRequest({ query, operationName }, caller, dependencies);
    },
  });
}

function runTool(dependencies: OperationDependencies, mutations: boolean): Tool {
  return defineTool({
    name: 'run_operation',
    description: mutations
      ? 'Runs a GraphQL query or mutation as your role. Select few fields and set a limit, because the size of a result is limited.'
      : 'Runs a GraphQL query as your role. Select few fields and set a limit, because the size of a result is limited.',
    annotations: { title: 'Run a GraphQL operation', readOnlyHint: !mutations, destructiveHint: mutations },
    args: z.strictObject(operationArguments),
    run: ({ query, variables, operation_name: operationName }, caller) =>
      runRequest(
        { query, variables, operationName },
        mutations ? caller : { ...caller, queriesOnly: true, queriesOnlyReason: mutationsDisabled },
        dependencies,
      ),
  });
}

const mutationsDisabled =
  'run_operation runs queries only; use a saved mutation, or set JOINERY_MCP_MUTATIONS=true of the service';
