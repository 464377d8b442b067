/** Splits SQL into statements and transactions without parsing the statements, as psql does. */

export interface SqlStatement {
  /** Trimmed, without its semicolon. Comments stay with the statement that follows them. */
  readonly text: string;
  /** Offset of `text`. */
  readonly start: number;
}

/** The effect of a statement on its transaction. */
export type TransactionControl =
  /** `begin`: without options or with PostgreSQL's defaults. */
  'begin' | 'begin with options' | 'commit' | 'rollback' | 'prepare transaction';

export interface SqlTransaction {
  /** The statements; those that begin and end the transaction are replaced by spaces. */
  readonly sql: string;
  /** Offset of `sql`. */
  readonly start: number;
}

/** The first statement that prevents splitting into transactions. */
export interface ControlProblem {
  readonly statement: SqlStatement;
  readonly control: Exclude<TransactionControl, 'begin' | 'commit'>;
}

/** The start of a token that may contain a semicolon, or that determines whether a semicolon ends the statement. */
const token = /'|"|--|\/\*|(?<![\w$\u0080-\uffff])\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[;()]/g;

/** Includes words, which are needed for routines with SQL bodies. */
const tokenOrWord = new RegExp(`${token.source}|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*`, 'g');

/** Returns the statements in order without empty ones. */
export function statementsOf(sql: string): readonly SqlStatement[] {
  const statements: SqlStatement[] = [];
  let from = 0;
  let at = 0;
  let parentheses = 0;
  let words: string[] = [];
  let blocks = 0;
  const next = /\bbegin\s+atomic\b/i.test(sql) ? tokenOrWord : token;
  const end = (to: number): void => {
    const text = sql.slice(from, to);
    const start = from + text.length - text.trimStart().length;
    const trimmed = text.trim();
    if (!isComment(trimmed)) statements.push({ text: trimmed, start });
    from = to + 1;
    [parentheses, words, blocks] = [0, [], 0];
  };
  for (;;) {
    next.lastIndex = at;
    const found = next.exec(sql);
    if (found === null) break;
    const [text] = found;
    at = endOf(sql, text, found.index);
    if (text === '(') parentheses += 1;
    else if (text === ')') parentheses = Math.max(0, parentheses - 1);
    else if (text === ';' && parentheses === 0 && blocks === 0) end(found.index);
    else if (/^[A-Za-z_\u0080-\uffff]/.test(text)) {
      const word = text.toLowerCase();
      if (words.length < 4) words.push(word);
      if (isRoutine(words)) blocks = blocksAfter(word, blocks);
    }
  }
  end(sql.length);
  return statements;
}

/** Whether the statement defines a routine, whose body `begin atomic ... end` can contain semicolons. */
function isRoutine([first, ...more]: readonly string[]): boolean {
  const kind = more[0] === 'or' && more[1] === 'replace' ? more[2] : more[0];
  return first === 'create' && (kind === 'function' || kind === 'procedure');
}

function blocksAfter(word: string, blocks: number): number {
  if (word === 'begin' || (word === 'case' && blocks > 0)) return blocks + 1;
  return word === 'end' && blocks > 0 ? blocks - 1 : blocks;
}

/** Whether a text consists of comments. */
function isComment(text: string): boolean {
  return text === '' || (/^(?:--|\/\*)/.test(text) && withoutComments(text) === '');
}

/** First words of transaction control statements, or a comment before them. */
const controlWord = /^(?:--|\/\*|begin|start|commit|end|rollback|abort|prepare)/i;

/** Returns undefined for all other statements, including savepoints. */
export function controlOf(statement: string): TransactionControl | undefined {
  if (!controlWord.test(statement)) return undefined;
  const text = withoutComments(statement).replaceAll(/\s+/g, ' ').toLowerCase();
  const begin = /^(?:begin(?: work| transaction)?|start transaction)(?: (.*))?$/.exec(text);
  if (begin !== null) return isDefault(begin[1] ?? '') ? 'begin' : 'begin with options';
  if (/^(?:commit|end)(?: work| transaction)?(?: and (?:no )?chain)?$/.test(text)) return 'commit';
  if (/^(?:rollback|abort)(?: work| transaction)?(?: and (?:no )?chain)?$/.test(text)) return 'rollback';
  return text.startsWith('prepare transaction ') ? 'prepare transaction' : undefined;
}

/** Whether options of a transaction equal the defaults. */
function isDefault(options: string): boolean {
  return options.replaceAll(/isolation level read (?:un)?committed|read write|not deferrable|,/g, ' ').trim() === '';
}

/**
 * Splits `sql` into transactions, each ended by a `commit`. Statements before a `begin` are part of its transaction, as
 * are statements after the last `commit`.
 */
export function transactionsOf(sql: string): {
  readonly transactions: readonly SqlTransaction[];
  readonly problem?: ControlProblem;
} {
  const transactions: SqlTransaction[] = [];
  let start = 0;
  let text = '';
  let isEmpty = true;
  let at = 0;
  for (const statement of statementsOf(sql)) {
    const control = controlOf(statement.text);
    if (control !== undefined && control !== 'begin' && control !== 'commit') {
      return { transactions: [], problem: { statement, control } };
    }
    const own = control === undefined ? statement.text : statement.text.replaceAll(/[^\n]/gu, ' ');
    text += sql.slice(at, statement.start) + own;
    at = statement.start + statement.text.length;
    isEmpty &&= control !== undefined;
    if (control !== 'commit' || isEmpty) continue;
    transactions.push({ sql: text, start });
    [start, text, isEmpty] = [at, '', true];
  }
  const rest = { sql: text + sql.slice(at), start };
  // The rest, unless it has only comments and ends of transactions after other SQL.
  if (!isEmpty || transactions.length === 0) transactions.push(rest);
  return { transactions };
}

/** Where the token that begins at `index` is over; the end of the text where it is not closed. */
function endOf(sql: string, token: string, index: number): number {
  if (token === '--') return after(sql, '\n', index);
  if (token === '/*') return endOfComment(sql, index);
  if (token === "'" && /(?<![\w$\u0080-\uffff])[eE]$/.test(sql.slice(Math.max(0, index - 2), index))) {
    return endOfEscapeString(sql, index + 1) ?? sql.length;
  }
  if (token.startsWith('$')) return after(sql, token, index + token.length);
  if (token !== "'" && token !== '"') return index + token.length;
  let end = after(sql, token, index + 1);
  // A doubled quote does not end the text. The text after it must not be read as the start of another kind of string.
  while (sql[end] === token) end = after(sql, token, end + 1);
  return end;
}

/**
 * Returns the offset after the escape string whose text continues at `from`; undefined where it is not closed. A loop, since a
 * regular expression of repeated alternatives exceeds its stack in long texts.
 */
export function endOfEscapeString(sql: string, from: number): number | undefined {
  for (let at = from; at < sql.length; at += 1) {
    if (sql[at] === '\\' || (sql[at] === "'" && sql[at + 1] === "'")) at += 1;
    else if (sql[at] === "'") return at + 1;
  }
  return undefined;
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

/** A string constant, a quoted identifier or a comment. `end` is the offset after it. */
export interface QuotedPart {
  readonly kind: 'quote' | 'comment';
  readonly start: number;
  readonly end: number;
}

/** Yields the string constants, quoted identifiers and comments in order. One that is not closed extends to the end. */
export function* quotedParts(sql: string): Generator<QuotedPart, void> {
  let from = 0;
  for (;;) {
    token.lastIndex = from;
    const found = token.exec(sql);
    if (found === null) return;
    const [opening] = found;
    from = endOf(sql, opening, found.index);
    if (/^[;()]$/.test(opening)) continue;
    const kind = opening === '--' || opening === '/*' ? 'comment' : 'quote';
    yield { kind, start: found.index, end: from };
  }
}

function after(sql: string, token: string, from: number): number {
  const found = sql.indexOf(token, from);
  return found === -1 ? sql.length : found + token.length;
}

/** Trimmed. Comments within the statement are blank; quotes may hold what looks like one, and stay as they are. */
function withoutComments(statement: string): string {
  let text = '';
  let at = 0;
  for (const { kind, start, end } of quotedParts(statement)) {
    if (kind !== 'comment') continue;
    text += `${statement.slice(at, start)} `;
    at = end;
  }
  return (text + statement.slice(at)).trim();
}
