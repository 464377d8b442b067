/** The rows that the tools of the grid work on: copying, export and import. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import type { OrderKey } from './row-order.ts';
import type { Row } from './row-values.ts';
import type { Session, Target } from './rows-api.ts';

export interface RowsScope {
  readonly target: Target;
  readonly info: TableInfo;
  /** The visible columns in their order. */
  readonly columns: readonly ColumnInfo[];
  /** The condition of the filter, for data commands. Empty for all rows. */
  readonly where: object;
  readonly order: readonly OrderKey[];
  /** Undefined for the admin. */
  readonly session: Session | undefined;
  readonly chosen: readonly Row[];
  /** Reads the rows again. */
  readonly refresh: () => void;
}
