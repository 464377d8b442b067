/** Members of tables and columns that tests of queries do not need. */
import type { DraftTable } from '../../../src/model/types/draft.ts';
import type { Column } from '../../../src/model/types/table.ts';

export const plainColumn: Pick<Column, 'hasDefault' | 'writable'> = { hasDefault: false, writable: 'yes' };

type WriteMember =
  | 'insertAccess'
  | 'updateAccess'
  | 'deleteAccess'
  | 'insertable'
  | 'updatable'
  | 'deletable'
  | 'mutationRoots';

/** Returns the members of a table that only `admin` may write. */
export function writeDefaults(name: string): Pick<DraftTable, WriteMember> {
  return {
    insertAccess: new Map(),
    updateAccess: new Map(),
    deleteAccess: new Map(),
    insertable: true,
    updatable: true,
    deletable: true,
    mutationRoots: {
      insert: `insert_${name}`,
      insert_one: `insert_${name}_one`,
      update: `update_${name}`,
      update_by_pk: `update_${name}_by_pk`,
      update_many: `update_${name}_many`,
      delete: `delete_${name}`,
      delete_by_pk: `delete_${name}_by_pk`,
    },
  };
}
