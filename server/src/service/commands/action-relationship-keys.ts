/** `get_action_relationship_keys` and `suggest_action_relationships`: what an output type can be joined to. */

import { GetActionRelationshipKeys, SuggestActionRelationships } from '@joinery/metadata/api/sources/catalog';
import { tableLabel } from '@joinery/metadata/commands/edit/change';
import { ServiceError } from '../../base/errors.ts';
import { findOutputObject, outputKeys } from '../../model/joins/output-keys.ts';
import { suggestOutputJoins } from '../../model/joins/suggest-output-joins.ts';
import type { Model } from '../../model/model.ts';
import type { OutputObject } from '../../model/types/action.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { readCommand } from './command.ts';

/** Returns `{ fields }`, each with its type and the columns of the table: those that fit, and why others do not. */
export const getActionRelationshipKeys: ServiceCommand<CommandResult<'get_action_relationship_keys'>> = readCommand(
  GetActionRelationshipKeys,
  ({ type_name, source, table }, progress) => {
    const { model } = progress.state;
    const object = outputObject(model, type_name);
    const tables = model.sources.get(source)?.tables;
    if (tables === undefined) throw missing(`source with name "${source}" does not exist`, 'source');
    const found = tables.get(relationKey(table.schema, table.name));
    if (found === undefined) throw missing(`table ${tableLabel(table)} is not tracked in source "${source}"`, 'table');
    return { fields: outputKeys(object, found) };
  },
);

/** Returns `{ relationships }` to tables whose keys match fields of the type. Joins that the type has are omitted. */
export const suggestActionRelationships: ServiceCommand<CommandResult<'suggest_action_relationships'>> = readCommand(
  SuggestActionRelationships,
  ({ type_name }, { state: { model } }) => ({
    relationships: suggestOutputJoins(outputObject(model, type_name), model),
  }),
);

function outputObject(model: Model, name: string): OutputObject {
  const object = findOutputObject(model, name);
  if (object !== undefined) return object;
  throw missing(`"${name}" is not an object type that an action returns`, 'type_name');
}

function missing(message: string, argument: string): ServiceError {
  return new ServiceError('not-exists', message, { path: `$.args.${argument}` });
}
