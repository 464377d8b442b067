/** The permissions of a table. */

import { type TableTabProps, tableLabel } from '../data/table-paths.ts';
import { Empty } from '../show/empty.tsx';

export function PermissionsTab({ table }: TableTabProps) {
  return <Empty title={`Permissions of ${tableLabel(table)}`}>They are in the metadata; see Settings, export.</Empty>;
}
