/** Splits SQL into statements, for those that PostgreSQL takes one at a time only. */

/** Where a token begins that may hold a semicolon of its own. */
const opening = /'|"|--|\/\*|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|;/g;

/** In order, without their semicolons; empty ones are left out. Comments stay with the statement that follows them. */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let from = 0;
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const found = opening.exec(sql);
    if (found === null) break;
    if (found[0] === ';') {
      statements.push(sql.slice(from, found.index));
      from = found.index + 1;
      at = from;
    } else {
      at = endOf(sql, found[0], found.index);
    }
  }
  statements.push(sql.slice(from));
  return statements.map((statement) => statement.trim()).filter((statement) => withoutComments(statement) !== '');
}

/** Where the token that begins at `index` is over; the end of the text where it is not closed. */
function endOf(sql: string, token: string, index: number): number {
  if (token === '--') return after(sql, '\n', index);
  if (token === '/*') return endOfComment(sql, index);
  if (token === "'" && /[eE]$/.test(sql.slice(0, index)) && !/[\w$][eE]$/.test(sql.slice(0, index))) {
    const close = /(?:[^'\\]|\\[\s\S])*'/y;
    close.lastIndex = index + 1;
    return close.test(sql) ? close.lastIndex : sql.length;
  }
  // A doubled quote closes and opens again, which comes to the same.
  return after(sql, token, index + token.length);
}

/** Comments of this kind nest. */
function endOfComment(sql: string, index: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = index;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

function after(sql: string, token: string, from: number): number {
  const found = sql.indexOf(token, from);
  return found === -1 ? sql.length : found + token.length;
}

function withoutComments(statement: string): string {
  const without = statement.replaceAll(/--[^\n]*/g, '').replaceAll(/\/\*(?:(?!\/\*|\*\/)[\s\S])*\*\//g, '');
  // From the inside out.
  return without === statement ? statement.trim() : withoutComments(without);
}
