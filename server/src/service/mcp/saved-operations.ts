/** The saved operations of query collections as tools. */
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { AllowedCollection, QueryCollection, StoredQuery } from '@joinery/metadata/schema/stored-operations';
import { ServiceError } from '../../base/errors.ts';
import { createSchemaWriter, jsonSchemaDialect } from '../../plan/document/json-schema.ts';
import { type StoredShape, storedShape } from '../../plan/document/stored-shape.ts';
import type { RoleSchema } from '../../schema/role-schema.ts';
import type { OperationDependencies } from '../graphql/run-operation.ts';
import { runRequest } from './operation-tools.ts';
import type { Tool } from './tool.ts';

/** `allowed`: the collections that the allow list permits the role; `all`: every collection; otherwise their names. */
export type CollectionChoice = 'allowed' | 'all' | readonly string[];

/** Characters of a name that all clients accept. */
const LONGEST_NAME = 64;

/**
 * Returns a tool for each operation of the chosen collections that is valid for the role. The first of two operations has the
 * name; the other one has that of its collection before it.
 *
 * @param reserved names of other tools
 */
export function savedOperationTools(
  metadata: Metadata,
  choice: CollectionChoice,
  schema: RoleSchema,
  dependencies: OperationDependencies,
  reserved: ReadonlySet<string>,
): readonly Tool[] {
  const names = new Set(reserved);
  const { stringifyNumerics } = dependencies.settings;
  return chosenCollections(metadata, choice, schema.role).flatMap((collection) =>
    collection.definition.queries.flatMap((stored): Tool[] => {
      const writer = createSchemaWriter(schema.schema, stringifyNumerics, jsonSchemaDialect);
      const shape = storedShape(schema, stored.query, writer);
      if (shape === undefined || shape.kind === 'subscription') return [];
      const name = freeName(stored.name, collection.name, names);
      names.add(name);
      return [
        operationTool(name, stored, shape, writer.components, commentOf(metadata, collection, stored), dependencies),
      ];
    }),
  );
}

function operationTool(
  name: string,
  { name: savedName, query }: StoredQuery,
  { kind, operationName, variables }: StoredShape,
  components: ReadonlyMap<string, unknown>,
  comment: string | undefined,
  dependencies: OperationDependencies,
): Tool {
  const required = variables.filter((one) => one.required).map((one) => one.name);
  const declared = new Set(variables.map((one) => one.name));
  return {
    name,
    description: comment ?? `Runs the saved ${kind} "${savedName}":\n${query.slice(0, 1_000)}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(variables.map((one) => [one.name, one.schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(components.size > 0 && { $defs: Object.fromEntries(components) }),
    },
    annotations: { title: savedName, readOnlyHint: kind === 'query', destructiveHint: kind === 'mutation' },
    run: (args, caller) => {
      const unknown = Object.keys(args).find((one) => !declared.has(one));
      if (unknown !== undefined) {
        throw new ServiceError('parse-failed', `the operation has no variable "${unknown}"; remove it`, {
          path: `$.arguments.${unknown}`,
        });
      }
      return runRequest({ query, variables: args, operationName }, caller, dependencies);
    },
  };
}

function chosenCollections(
  { query_collections = [], allowlist = [] }: Metadata,
  choice: CollectionChoice,
  role: RoleName,
): readonly QueryCollection[] {
  if (choice === 'all') return query_collections;
  const chosen = new Set<string>(
    choice === 'allowed' ? allowlist.filter((one) => permits(one, role)).map((one) => one.collection) : choice,
  );
  return query_collections.filter(({ name }) => chosen.has(name));
}

function permits({ scope }: AllowedCollection, role: RoleName): boolean {
  return role === ADMIN_ROLE || scope === undefined || scope.global || scope.roles.includes(role);
}

/** Returns the comment of the REST endpoint of the operation, or the comment lines that its text begins with. */
function commentOf(
  { rest_endpoints = [] }: Metadata,
  collection: QueryCollection,
  { name, query }: StoredQuery,
): string | undefined {
  const endpoint = rest_endpoints.find(
    ({ definition: { query: named }, comment }) =>
      named.collection_name === collection.name && named.query_name === name && typeof comment === 'string',
  );
  const [lines = ''] = /^(?:\s*#[^\n]*\n)*/.exec(query) ?? [];
  const written = lines
    .split('\n')
    .map((line) => line.trim().replace(/^#+\s?/, ''))
    .join('\n')
    .trim();
  return written === '' ? (endpoint?.comment ?? undefined) : written;
}

function freeName(operation: string, collection: string, taken: ReadonlySet<string>): string {
  const valid = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME);
  const first = valid(operation);
  if (!taken.has(first)) return first;
  const second = valid(`${collection}_${operation}`);
  for (let number = 2, name = second; ; number += 1) {
    if (!taken.has(name)) return name;
    const suffix = `_${number}`;
    name = second.slice(0, LONGEST_NAME - suffix.length) + suffix;
  }
}
