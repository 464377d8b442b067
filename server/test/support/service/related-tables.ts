/** Commands for two tables with a foreign key. */

export interface RelatedTables {
  readonly table: string;
  /** The column of `table` with the foreign key. */
  readonly column: string;
  readonly target: string;
  /** The name of the relationship from `table` to `target`. */
  readonly toOne: string;
  /** The name of the relationship from `target` to `table`. */
  readonly toMany: string;
}

/** Returns the commands that track both tables and create their relationships. */
export function trackRelated({ table, column, target, toOne, toMany }: RelatedTables): readonly object[] {
  const related = (kind: string, args: object) => ({ type: `create_${kind}_relationship`, args });
  return [
    { type: 'track_table', args: target },
    { type: 'track_table', args: table },
    related('object', { table, name: toOne, using: { foreign_key_constraint_on: column } }),
    related('array', { table: target, name: toMany, using: { foreign_key_constraint_on: { table, column } } }),
  ];
}
