/** Derives from SQL that changes a schema the SQL that undoes it, and a name for its migration. */
import { statementsOf } from './statements.ts';

export interface UndoSql {
  /** One statement for each that can be undone, in reverse order; empty if there is none. */
  readonly sql: string;
  /** The statements that are not undone, such as `drop table`, whose rows are lost. */
  readonly missing: readonly string[];
}

/** An identifier, quoted or plain. */
const PART = String.raw`(?:"(?:[^"]|"")+"|[\w$\u0080-\uffff]+)`;
/** An identifier with or without its schema. */
const NAME = `${PART}(?: ?\\. ?${PART})?`;

/** Spaces and comments before the first word of a statement. */
const leading = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** Statements that change the schema. Temporary objects are no part of it. */
const schemaWords =
  /^(?:create(?! (?:global |local )?temp)|alter(?! system)|drop|comment on|grant|revoke|reassign|security label|import foreign schema)\b/i;

/** Whether a statement of the SQL changes the schema of a database. Blocks (`do`) and calls of functions are not read. */
export function changesSchema(sql: string): boolean {
  return statementsOf(sql).some(({ text }) => schemaWords.test(plain(text)));
}

export function undoSql(sql: string): UndoSql {
  const missing: string[] = [];
  const undone: string[] = [];
  for (const { text } of statementsOf(sql)) {
    const undo = undoStatement(plain(text));
    if (undo === undefined) missing.push(text);
    else undone.unshift(...undo.map((one) => `${one};`));
  }
  return { sql: undone.join('\n'), missing };
}

const NAME_LENGTH = 60;

/**
 * Returns a name such as `create_table_public_author`: what the first statement that changes the schema does to what.
 * `_and_2_more` counts the other statements that change the schema.
 */
export function migrationName(sql: string): string {
  const statements = statementsOf(sql).map(({ text }) => plain(text));
  const changing = statements.filter((text) => schemaWords.test(text));
  const words = (changing[0] ?? statements[0] ?? '')
    .replaceAll(/\b(?:or replace|if (?:not )?exists|only|concurrently)\b/gi, ' ')
    .replace(definition, '')
    .replace(head(`(.* add (?:column )?)(?!constraint )(${PART}) .*`), '$1$2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/\W+/g, '_')
    .toLowerCase();
  const more = changing.length > 1 ? `_and_${changing.length - 1}_more` : '';
  const name = words.slice(0, NAME_LENGTH - more.length).replaceAll(/^_|_$/g, '');
  return name === '' ? 'sql' : `${name}${more}`;
}

/** The rest of a statement that says how an object is defined, after the words that say which one it is. */
const definition = /(?:[(;=']| (?:as|is|using|check|references|foreign key|(?<!set )default)(?![\w$"])).*$/is;

/** Returns a statement without leading comments, with single spaces outside of quoted names. */
function plain(text: string): string {
  return text.replace(leading, '').replaceAll(/"(?:[^"]|"")*"|\s+/g, (found) => (found[0] === '"' ? found : ' '));
}

type Groups = readonly (string | undefined)[];
type Undo = readonly [shape: RegExp, undo: (groups: Groups) => string];

/** The object may have existed before. */
const notExisting = '(?!if not exists )';

const statementUndoes: readonly Undo[] = [
  [
    head(`create (?:unlogged )?table ${notExisting}(${NAME}) ?(?=\\(|as |partition |of )`),
    ([name]) => `drop table ${name}`,
  ],
  [head(`create (?:recursive )?view (${NAME})`), ([name]) => `drop view ${name}`],
  [head(`create (materialized view|sequence) ${notExisting}(${NAME})`), ([kind, name]) => `drop ${kind} ${name}`],
  [head(`create (type|domain) (${NAME})`), ([kind, name]) => `drop ${kind} ${name}`],
  [
    head(`create (schema|extension) (?!authorization )${notExisting}(${PART})`),
    ([kind, name]) => `drop ${kind} ${name}`,
  ],
  [
    head(
      `create (?:unique )?index (concurrently )?${notExisting}(?!on )(${PART}) on (?:only )?(?:(${PART}) ?\\. ?)?${PART}`,
    ),
    ([concurrently = '', name, schema]) =>
      `drop index ${concurrently}${schema === undefined ? '' : `${schema}.`}${name}`,
  ],
  [head(`create (?:constraint )?trigger (${PART}) .*? on (${NAME})`), ([name, on]) => `drop trigger ${name} on ${on}`],
  [head(`create policy (${PART}) on (${NAME})`), ([name, on]) => `drop policy ${name} on ${on}`],
  [
    head(`alter (table|view|materialized view|sequence|index) (?:only )?(?!if exists )(${NAME}) rename to (${PART})$`),
    ([kind, from = '', to = '']) => `alter ${kind} ${renamed(from, to)} rename to ${lastPart(from)}`,
  ],
  [
    head(`alter table (?:only )?(?!if exists )(${NAME}) rename constraint (${PART}) to (${PART})$`),
    ([table, from, to]) => `alter table ${table} rename constraint ${to} to ${from}`,
  ],
  [
    head(
      `alter (table|view|materialized view) (?:only )?(?!if exists )(${NAME}) rename (?:column )?(${PART}) to (${PART})$`,
    ),
    ([kind, table, from, to]) => `alter ${kind} ${table} rename column ${to} to ${from}`,
  ],
];

/** Actions of `alter table`, which may have several. */
const actionUndoes: readonly Undo[] = [
  [head(`add constraint (${PART}) `), ([name]) => `drop constraint ${name}`],
  [
    head(`add (?:column )?(?!(?:primary|unique|foreign|check|exclude|constraint|column)\\b)${notExisting}(${PART}) `),
    ([name]) => `drop column ${name}`,
  ],
  [head(`alter (?:column )?(${PART}) set not null$`), ([name]) => `alter column ${name} drop not null`],
  [head(`alter (?:column )?(${PART}) drop not null$`), ([name]) => `alter column ${name} set not null`],
  [head(`alter (?:column )?(${PART}) add generated `), ([name]) => `alter column ${name} drop identity`],
  [head('enable row level security$'), () => 'disable row level security'],
  [head('disable row level security$'), () => 'enable row level security'],
];

function head(pattern: string): RegExp {
  return new RegExp(`^${pattern}`, 'is');
}

function undoStatement(text: string): readonly string[] | undefined {
  const whole = firstUndo(statementUndoes, text);
  if (whole !== undefined) return [whole];
  const alter = head(`alter table (?:only )?(?!if exists )(${NAME}) (.*)$`).exec(text);
  if (alter === null) return undefined;
  const [, table, list = ''] = alter;
  const undone = splitActions(list).map((action) => firstUndo(actionUndoes, action));
  if (undone.includes(undefined)) return undefined;
  return undone.map((action) => `alter table ${table} ${action}`).reverse();
}

function firstUndo(undoes: readonly Undo[], text: string): string | undefined {
  for (const [shape, undo] of undoes) {
    const found = shape.exec(text);
    if (found !== null) return undo(found.slice(1));
  }
  return undefined;
}

/** Splits at commas outside of parentheses and quotes. */
function splitActions(list: string): readonly string[] {
  const found: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { 0: token, index } of list.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (token === ',' && depth === 0) {
      found.push(list.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...found, list.slice(from).trim()];
}

function lastPart(name: string): string {
  return new RegExp(`${PART}$`).exec(name)?.[0] ?? name;
}

/** Returns `name` with its last part replaced. */
function renamed(name: string, to: string): string {
  return name.slice(0, name.length - lastPart(name).length) + to;
}
