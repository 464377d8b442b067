/** What an edit learns from the live model and from the GraphQL parser. */
import type { EditContext } from '@joinery/metadata/commands/edit/command';
import type { Model } from '../../model/model.ts';
import { holdsOperation } from '../../plan/document/stored.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';

export function editContext(model: Model): EditContext {
  return {
    relationshipTarget: (source, table, name) => {
      const found = model.sources.get(source)?.tables.get(relationKey(table.schema, table.name));
      const computed = found?.computedFields?.get(name)?.result;
      const target = found?.relationships.get(name)?.target ?? (computed?.kind === 'rows' ? computed.table : undefined);
      return target && { schema: target.schema, name: target.name };
    },
    mutates: (document) => holdsOperation(document, 'mutation'),
  };
}
