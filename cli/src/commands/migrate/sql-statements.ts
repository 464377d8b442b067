/** Splits SQL into statements and units that run separately. */
import { controlOf, type SqlStatement, statementsOf } from '@joinery/metadata/sql/statements';

/** In order, without their semicolons; empty ones are left out. Comments stay with the statement that follows them. */
export function splitStatements(sql: string): readonly string[] {
  return statementsOf(sql).map(({ text }) => text);
}

/** Spaces and comments before the first word of a statement. */
const leading = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** Statements that PostgreSQL does not run in a transaction. */
const alone = [
  /^create\s+(?:unique\s+)?index\s+concurrently\b/i,
  /^drop\s+index\s+concurrently\b/i,
  /^reindex\s+(?:\([^)]*\)\s*)?(?:index|table|schema|database|system)\s+concurrently\b/i,
  /^reindex\s+(?:\([^)]*\)\s*)?(?:database|system)\b/i,
  /^vacuum\b/i,
  /^alter\s+system\b/i,
  /^(?:create|drop)\s+(?:database|tablespace)\b/i,
  /^alter\s+table\b[\s\S]*\bdetach\s+partition\b[\s\S]*\bconcurrently\s*$/i,
];

/** Whether PostgreSQL does not run the statement in a transaction. */
export function runsAlone(statement: string): boolean {
  const text = statement.replace(leading, '');
  return alone.some((one) => one.test(text));
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
