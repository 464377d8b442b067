/** The allow list: add, change and drop collections. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { AllowedCollection, AllowScope, CollectionName } from '../../schema/stored-operations.ts';
import { changeFirst, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

function mustBeThere(metadata: Metadata, collection: CollectionName): void {
  if (metadata.query_collections?.some((one) => one.name === collection)) return;
  const message = `query collection with name "${collection}" does not exist; create it first`;
  throw new EditError('not-exists', message, '$.collection');
}

function notListed(collection: CollectionName): EditError {
  return new EditError('not-found', `collection "${collection}" is not in the allow list`, '$.collection');
}

/** Adding an existing entry succeeds without a change. */
export const addCollectionToAllowlist = defineCommand({
  name: 'add_collection_to_allowlist',
  arguments: AllowedCollection,
  apply: (entry, metadata): Metadata => {
    mustBeThere(metadata, entry.collection);
    const known = metadata.allowlist?.find((one) => one.collection === entry.collection);
    if (known === undefined) return { ...metadata, allowlist: [...(metadata.allowlist ?? []), entry] };
    if (JSON.stringify(known.scope ?? { global: true }) === JSON.stringify(entry.scope ?? { global: true })) {
      return metadata;
    }
    const message = `collection "${entry.collection}" is in the allow list with another scope; use update_scope_of_collection_in_allowlist`;
    throw new EditError('already-exists', message, '$.collection');
  },
});

export const updateScopeOfCollectionInAllowlist = defineCommand({
  name: 'update_scope_of_collection_in_allowlist',
  arguments: z.strictObject({ collection: CollectionName, scope: AllowScope }),
  apply: ({ collection, scope }, metadata): Metadata => {
    const allowlist = changeFirst(
      metadata.allowlist,
      (one) => one.collection === collection,
      (one) => ({ ...one, scope }),
    );
    if (allowlist === undefined) throw notListed(collection);
    return { ...metadata, allowlist };
  },
});

export const dropCollectionFromAllowlist = defineCommand({
  name: 'drop_collection_from_allowlist',
  arguments: z.strictObject({ collection: CollectionName }),
  apply: ({ collection }, metadata): Metadata => {
    const allowlist = without(metadata.allowlist, (one) => one.collection === collection);
    if (allowlist === undefined) throw notListed(collection);
    return { ...metadata, allowlist };
  },
});
