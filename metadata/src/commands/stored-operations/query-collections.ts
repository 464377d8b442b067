/** Collections of stored operations: create, rename, drop, and the operations in them. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { CollectionName, QueryCollection, StoredQuery } from '../../schema/stored-operations.ts';
import { changeFirst, withComment, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { changeEventTargets } from '../rename/event-targets.ts';

function unknownCollection(name: CollectionName, path: string): EditError {
  return new EditError('not-exists', `query collection with name "${name}" does not exist`, path);
}

/** Changes one collection. Throws EditError `not-exists` at `path`. */
function changeCollection(
  metadata: Metadata,
  name: CollectionName,
  path: string,
  change: (collection: QueryCollection) => QueryCollection,
): Metadata {
  const query_collections = changeFirst(metadata.query_collections, (one) => one.name === name, change);
  if (query_collections === undefined) throw unknownCollection(name, path);
  return { ...metadata, query_collections };
}

function twice(queries: readonly StoredQuery[]): number {
  const names = new Set<string>();
  return queries.findIndex(({ name }) => names.size === names.add(name).size);
}

export const createQueryCollection = defineCommand({
  name: 'create_query_collection',
  arguments: QueryCollection,
  apply: ({ name, definition, comment }, metadata): Metadata => {
    const collections = metadata.query_collections ?? [];
    if (collections.some((one) => one.name === name)) {
      throw new EditError('already-exists', `query collection with name "${name}" already exists`, '$.name');
    }
    const again = twice(definition.queries);
    if (again >= 0) {
      const message = `query "${definition.queries[again]?.name}" is defined twice in the collection`;
      throw new EditError('not-supported', message, `$.definition.queries[${again}].name`);
    }
    return { ...metadata, query_collections: [...collections, { name, ...withComment(comment), definition }] };
  },
});

/** Renames the collection in the allow list, in REST endpoints and in targets of triggers too. */
export const renameQueryCollection = defineCommand({
  name: 'rename_query_collection',
  arguments: z.strictObject({ name: CollectionName, new_name: CollectionName }),
  apply: ({ name, new_name }, metadata) => {
    if (metadata.query_collections?.some((one) => one.name === new_name)) {
      throw new EditError('already-exists', `query collection with name "${new_name}" already exists`, '$.new_name');
    }
    const renamed = changeEventTargets(
      changeCollection(metadata, name, '$.name', (one) => ({ ...one, name: new_name })),
      (target) =>
        target.operation?.collection === name
          ? { ...target, operation: { ...target.operation, collection: new_name } }
          : target,
    );
    const { allowlist, rest_endpoints } = renamed;
    return {
      ...renamed,
      ...(allowlist && {
        allowlist: allowlist.map((one) => (one.collection === name ? { ...one, collection: new_name } : one)),
      }),
      ...(rest_endpoints && {
        rest_endpoints: rest_endpoints.map((one) =>
          one.definition.query.collection_name === name
            ? { ...one, definition: { query: { ...one.definition.query, collection_name: new_name } } }
            : one,
        ),
      }),
    };
  },
});

/** `cascade` removes the collection from the allow list too. */
export const dropQueryCollection = defineCommand({
  name: 'drop_query_collection',
  arguments: z.strictObject({ collection: CollectionName, cascade: z.boolean() }),
  apply: ({ collection, cascade }, metadata): Metadata => {
    const query_collections = without(metadata.query_collections, (one) => one.name === collection);
    if (query_collections === undefined) throw unknownCollection(collection, '$.collection');
    const allowlist = without(metadata.allowlist, (one) => one.collection === collection);
    if (allowlist === undefined) return { ...metadata, query_collections };
    if (cascade) return { ...metadata, query_collections, allowlist };
    const message = `query collection "${collection}" is in the allow list; drop it from there first, or set "cascade"`;
    throw new EditError('dependency-error', message, '$.collection');
  },
  dependents: () => 'reject',
});

export const addQueryToCollection = defineCommand({
  name: 'add_query_to_collection',
  arguments: z.strictObject({
    collection_name: CollectionName,
    query_name: StoredQuery.shape.name,
    query: StoredQuery.shape.query,
  }),
  apply: ({ collection_name, query_name, query }, metadata) =>
    changeCollection(metadata, collection_name, '$.collection_name', (collection) => {
      const { queries } = collection.definition;
      if (queries.some((one) => one.name === query_name)) {
        const message = `query "${query_name}" already exists in collection "${collection_name}"`;
        throw new EditError('already-exists', message, '$.query_name');
      }
      return { ...collection, definition: { queries: [...queries, { name: query_name, query }] } };
    }),
});

export const dropQueryFromCollection = defineCommand({
  name: 'drop_query_from_collection',
  arguments: z.strictObject({ collection_name: CollectionName, query_name: StoredQuery.shape.name }),
  apply: ({ collection_name, query_name }, metadata) =>
    changeCollection(metadata, collection_name, '$.collection_name', (collection) => {
      const queries = without(collection.definition.queries, (one) => one.name === query_name);
      if (queries === undefined) {
        const message = `query "${query_name}" does not exist in collection "${collection_name}"`;
        throw new EditError('not-found', message, '$.query_name');
      }
      return { ...collection, definition: { queries } };
    }),
  dependents: () => 'reject',
});
