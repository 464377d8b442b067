/** The relationships of a table. */

import { type TableTabProps, tableLabel } from '../data/table-paths.ts';
import { Empty } from '../show/empty.tsx';

export function RelationshipsTab({ table }: TableTabProps) {
  return <Empty title={`Relationships of ${tableLabel(table)}`}>They are in the metadata; see Settings, export.</Empty>;
}
