/** The custom types of actions, all at once. */
import { CustomTypes } from '../../schema/actions.ts';
import { defineCommand } from '../edit/command.ts';

/** Replaces every custom type: what is not given any more is gone. */
export const setCustomTypes = defineCommand({
  name: 'set_custom_types',
  arguments: CustomTypes,
  apply: (custom_types, metadata) => ({ ...metadata, custom_types }),
});
