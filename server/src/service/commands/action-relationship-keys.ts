/** `get_action_relationship_keys`: the fields and columns that a relationship of an output type may map. */

import { GetActionRelationshipKeys } from '@joinery/metadata/api/catalog';
import { tableLabel } from '@joinery/metadata/commands/edit/change';
import { ServiceError } from '../../base/errors.ts';
import { findOutputObject, outputKeys } from '../../model/joins/output-keys.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { readCommand } from './command.ts';

/** Returns `{ fields }`, each with its type and the columns of the table: those that fit, and why others do not. */
export const getActionRelationshipKeys: ServiceCommand<CommandResult<'get_action_relationship_keys'>> = readCommand(
  GetActionRelationshipKeys,
  ({ type_name, source, table }, progress) => {
    const { model } = progress.state;
    const object = findOutputObject(model, type_name);
    if (object === undefined) throw missing(`"${type_name}" is not an object type that an action returns`, 'type_name');
    const tables = model.sources.get(source)?.tables;
    if (tables === undefined) throw missing(`source with name "${source}" does not exist`, 'source');
    const found = tables.get(relationKey(table.schema, table.name));
    if (found === undefined) throw missing(`table ${tableLabel(table)} is not tracked in source "${source}"`, 'table');
    return { fields: outputKeys(object, found) };
  },
);

function missing(message: string, argument: string): ServiceError {
  return new ServiceError('not-exists', message, { path: `$.args.${argument}` });
}
