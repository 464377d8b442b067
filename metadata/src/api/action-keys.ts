/** The arguments of the command that tells which columns a relationship of an output type may lead to. */
import { z } from 'zod';
import { tableArguments } from '../commands/edit/change.ts';
import { TypeName } from '../names.ts';

export const GetActionRelationshipKeys = z.strictObject({ type_name: TypeName, ...tableArguments });
