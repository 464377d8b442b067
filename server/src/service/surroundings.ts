/** What the live model tells an edit about the database. */
import type { Surroundings } from '@joinery/metadata/commands/command';
import type { Model } from '../model/model.ts';
import { relationKey } from '../postgres/catalog-types.ts';

export function surroundings(model: Model): Surroundings {
  return {
    relationshipTarget: (source, table, name) => {
      const found = model.sources.get(source)?.tables.get(relationKey(table.schema, table.name));
      const target = found?.relationships.get(name)?.target;
      return target && { schema: target.schema, name: target.name };
    },
  };
}
