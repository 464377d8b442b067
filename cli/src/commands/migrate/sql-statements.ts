/** Splits SQL into statements and units that run separately. */
import { controlOf, type SqlStatement, statementsOf } from '@joinery/metadata/sql/statements';

/** In order, without their semicolons; empty ones are left out. Comments stay with the statement that follows them. */
export function splitStatements(sql: string): readonly string[] {
  return statementsOf(sql).map(({ text }) => text);
}

/**
 * Returns the units that must be sent together: a single statement, or everything from `begin` to the end of the
 * transaction.
 */
export function splitUnits(sql: string): readonly SqlStatement[] {
  const units: SqlStatement[] = [];
  let opened: SqlStatement | undefined;
  let last: SqlStatement | undefined;
  const close = (from: SqlStatement, to: SqlStatement): void => {
    units.push({ text: sql.slice(from.start, to.start + to.text.length), start: from.start });
    opened = undefined;
  };
  for (const statement of statementsOf(sql)) {
    const control = controlOf(statement.text);
    last = statement;
    if (opened === undefined && (control === 'begin' || control === 'begin with options')) opened = statement;
    else if (opened === undefined) units.push(statement);
    else if (control === 'commit' || control === 'rollback' || control === 'prepare transaction') {
      close(opened, statement);
    }
  }
  if (opened !== undefined && last !== undefined) close(opened, last);
  return units;
}
