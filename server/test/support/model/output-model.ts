/** Models of actions without handlers, for tests of the relationships of their output types. */

import { runAtOnce } from '../../../src/base/steps.ts';
import { resolveActions } from '../../../src/model/actions/actions.ts';
import { resolveCustomTypes } from '../../../src/model/actions/custom-types.ts';
import { resolveOutputJoins } from '../../../src/model/joins/action-joins.ts';
import type { Model } from '../../../src/model/model.ts';
import type { DraftTable } from '../../../src/model/types/draft.ts';
import { type DraftParts, draftOf } from './draft.ts';
import { unlimited } from './model-defaults.ts';

export interface OutputParts extends Pick<DraftParts, 'tables' | 'otherTables' | 'custom_types'> {
  /** The output type of each action. */
  readonly outputs: readonly string[];
  /** The columns of the primary key by table, then those of unique keys. */
  readonly keys?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** Returns a model with one query action for each output type. Throws if one is invalid. */
export function outputModel({ outputs, ...parts }: OutputParts): Model {
  const actions = outputs.map((output_type, index) => ({
    name: `action_${index}`,
    definition: { type: 'query', output_type, handler: 'http://127.0.0.1/' },
  }));
  const { draft, reports } = draftOf({ ...parts, actions });
  for (const { tables } of draft.sources.values()) {
    for (const [key, table] of tables) tables.set(key, { ...table, ...keysOf(table, parts.keys?.[table.name]) });
  }
  const types = runAtOnce(resolveCustomTypes(draft));
  for (const [name, action] of runAtOnce(resolveActions(draft, types))) draft.actions.set(name, action);
  const outputJoins = runAtOnce(resolveOutputJoins(draft, types.objects));
  if (reports.length > 0) throw new Error(reports.map(({ reason }) => reason).join('\n'));
  const { sources, remoteSchemas } = draft;
  return {
    version: 1,
    sources,
    actions: draft.actions,
    outputJoins,
    remoteSchemas,
    roles: new Set(),
    ...unlimited,
    inconsistencies: [],
  };
}

function keysOf(
  { columnsByName }: DraftTable,
  [primary, ...unique]: readonly (readonly string[])[] = [],
): Pick<DraftTable, 'primaryKey' | 'uniqueKeys'> {
  return {
    primaryKey: primary?.flatMap((name) => columnsByName.get(name) ?? []),
    uniqueKeys: unique.map((columns) => ({ name: `${columns.join('_')}_key`, columns })),
  };
}
