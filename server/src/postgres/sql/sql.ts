/** The `sql` tag: composes SQL from fragments. Values become parameters and identifiers are quoted. */

import { encodeParameter } from './parameters.ts';

/** No JSON value can have this symbol, so none can be taken for a fragment. */
const mark: unique symbol = Symbol('sql');

/** The source of a parameter value when the statement is run. */
export type Slot =
  | { readonly kind: 'value'; readonly value: unknown }
  /**
   * A GraphQL variable, encoded by `encode`. `shared`: the encoding depends only on the type of the cast, so that all uses of
   * the variable with the same cast share one parameter.
   */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly encode: (value: unknown) => unknown;
      readonly shared?: true;
    }
  /**
   * A session variable, by its lower-case name (`x-service-user-id`). `encode` converts its text and depends only on the type
   * of the cast. Without it the text is the parameter.
   */
  | { readonly kind: 'session'; readonly name: string; readonly encode?: (text: string) => unknown }
  /** Provided by the caller of the statement, such as the key columns of a join. */
  | { readonly kind: 'input'; readonly name: string };

type Piece = string | Slot;

/** A fragment of SQL. Only the functions of this file create it. */
export interface Sql {
  readonly [mark]: readonly Piece[];
}

/** A statement: text with `$n`, and the slot of each `n`. Equal slots share one parameter. */
export interface Statement {
  readonly text: string;
  readonly slots: readonly Slot[];
}

function fragment(pieces: readonly Piece[]): Sql {
  return { [mark]: pieces };
}

function piecesOf(part: unknown): readonly Piece[] {
  if (typeof part === 'object' && part !== null && mark in part) return (part as Sql)[mark];
  throw new TypeError('only fragments of the sql tag can be embedded in SQL');
}

/** Appends in a loop: a statement may have more pieces than a call may have arguments. */
function append(pieces: Piece[], part: unknown): void {
  for (const piece of piecesOf(part)) pieces.push(piece);
}

/** The tag. Embeds fragments only and throws for anything else. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  const pieces: Piece[] = [];
  strings.forEach((text, index) => {
    if (text !== '') pieces.push(text);
    if (index < parts.length) append(pieces, parts[index]);
  });
  return fragment(pieces);
}

/** Returns a quoted identifier, qualified where there are several names: `"shop"."order"`. */
export function ident(...names: readonly string[]): Sql {
  return fragment([names.map(quoteIdent).join('.')]);
}

/** Returns `name` in double quotes. Throws for NUL. */
export function quoteIdent(name: string): string {
  if (name.includes('\0')) throw new TypeError('an identifier cannot contain NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a parameter with this value. */
export function value(constant: unknown): Sql {
  return fragment([{ kind: 'value', value: constant }]);
}

/** Returns a parameter whose value is bound when the statement runs. */
export function slot(from: Slot): Sql {
  return fragment([from]);
}

/** Returns a string constant in the text, for names of the model. Values of requests must be parameters. */
export function literal(text: string): Sql {
  if (text.includes('\0')) throw new TypeError('a string constant cannot contain NUL');
  const escaped = text.replaceAll("'", "''");
  return fragment([text.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`]);
}

/** Returns SQL that an administrator wrote in the metadata. Values of requests must be parameters. */
export function rawSql(text: string): Sql {
  if (text.includes('\0')) throw new TypeError('SQL cannot contain NUL');
  return fragment([text]);
}

/** Returns an integer in the text. */
export function integer(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new TypeError(`not a whole number: ${number}`);
  return fragment([String(number)]);
}

/** Concatenates fragments with `separator` between them. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    if (index > 0) pieces.push(separator);
    append(pieces, part);
  });
  return fragment(pieces);
}

/** A type name of the catalog, already quoted where needed. */
export interface SqlTypeName {
  /** Quoted, schema-qualified outside pg_catalog; see `CatalogType`. */
  readonly sqlName: string;
}

/** Returns `expression::type`. */
export function cast(expression: Sql, type: SqlTypeName): Sql {
  return fragment([...piecesOf(expression), `::${type.sqlName}`]);
}

/** Returns the type name, for `cast(... as type)` and array constructors. */
export function typeName(type: SqlTypeName): Sql {
  return fragment([type.sqlName]);
}

/**
 * Returns the list for `unnest`, with a length that the planner does not know. It estimates ten items for an unknown list: where
 * it knew a shorter one, the plan for the values would cost less than the generic plan, and it would plan a prepared statement
 * again for each run.
 */
export function ofUnknownLength(list: Sql): Sql {
  return sql`(select ${list})`;
}

export const empty: Sql = fragment([]);

function slotKey(from: Slot): string | undefined {
  switch (from.kind) {
    case 'session':
    case 'input':
      return `${from.kind}:${from.name}`;
    case 'variable':
      return from.shared && `${from.kind}:${from.name}`;
    case 'value':
      return undefined;
    default:
      return from satisfies never;
  }
}

/** A cast after a parameter. The names of some types have several words. */
const castBehind = /^::[^\s,)]+(?: varying| precision)?(?: with(?:out)? time zone)?/;

/**
 * Numbers the parameters. Session, input and shared variable slots of one name share a parameter when the same cast follows
 * them, because PostgreSQL gives each parameter one type.
 */
export function compile(statement: Sql): Statement {
  const slots: Slot[] = [];
  const known = new Map<string, number>();
  const pieces = piecesOf(statement);
  let text = '';
  pieces.forEach((piece, index) => {
    if (typeof piece === 'string') {
      text += piece;
      return;
    }
    const next = pieces[index + 1];
    const follows = typeof next === 'string' ? (castBehind.exec(next)?.[0] ?? '') : '';
    const key = slotKey(piece);
    const shared = key === undefined ? undefined : known.get(key + follows);
    if (shared !== undefined) {
      text += `$${shared}`;
      return;
    }
    slots.push(piece);
    if (key !== undefined) known.set(key + follows, slots.length);
    text += `$${slots.length}`;
  });
  return { text, slots };
}

/**
 * Replaces the parameters of `statement` by constants in the text, for function bodies, which have no parameters. Throws for values
 * that are bound when a statement runs.
 */
export function withConstants(statement: Sql): Sql {
  const pieces = piecesOf(statement).flatMap((piece): readonly Piece[] => {
    if (typeof piece === 'string') return [piece];
    if (piece.kind !== 'value') throw new TypeError(`a ${piece.kind} is no constant`);
    const text = encodeParameter(piece.value);
    if (text === null) return ['null'];
    return piecesOf(literal(typeof text === 'string' ? text : `\\x${text.toString('hex')}`));
  });
  return fragment(pieces);
}

/** A column that replaces a slot: its name, and the type of its cast. */
export interface SlotColumn {
  readonly name: string;
  readonly slot: Slot;
  readonly type: SqlTypeName;
}

/**
 * Replaces each slot of `statement` by a column of the row named `row`, so that it runs for many rows of values at once.
 * Session and input slots of one name share a column where they share a parameter. `constants`: whether slots with a value
 * are replaced too. The columns are numbered from `first`.
 */
export function overValueRows(
  statement: Sql,
  row: string,
  { constants = true, first = 0 }: { readonly constants?: boolean; readonly first?: number } = {},
): { readonly statement: Sql; readonly columns: readonly SlotColumn[] } {
  const columns: SlotColumn[] = [];
  const known = new Map<string, string>();
  const pieces = piecesOf(statement);
  const replaced = pieces.map((piece, index) => {
    if (typeof piece === 'string' || (!constants && piece.kind === 'value')) return piece;
    const next = pieces[index + 1];
    // `cast` leaves the type as a piece of its own.
    const type = typeof next === 'string' && next.startsWith('::') ? next.slice(2) : 'text';
    const key = slotKey(piece);
    const shared = key === undefined ? undefined : known.get(`${key}::${type}`);
    if (shared !== undefined) return `${quoteIdent(row)}.${quoteIdent(shared)}`;
    const name = `v${first + columns.length}`;
    columns.push({ name, slot: piece, type: { sqlName: type } });
    if (key !== undefined) known.set(`${key}::${type}`, name);
    return `${quoteIdent(row)}.${quoteIdent(name)}`;
  });
  return { statement: fragment(replaced), columns };
}

/** The values of the slots of one run. */
export interface Bindings {
  /** GraphQL variables after coercion. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Session variables by lower-case name. */
  readonly session: ReadonlyMap<string, string>;
  /** Inputs by name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Called for a session variable that the session does not have. Throws. */
  readonly missing: (sessionVariable: string) => never;
}

/** The name of the session slot with all session variables as one JSON object. */
export const allSessionVariables = '*';

/** Returns the session variables as JSON, without the admin secret. */
function sessionJson(session: Bindings['session']): string {
  return JSON.stringify(Object.fromEntries([...session].filter(([name]) => !name.endsWith('-admin-secret'))));
}

/** Returns the parameter values of one run, in order of `$n`. */
export function bind(statement: Statement, bindings: Bindings): unknown[] {
  return statement.slots.map((from) => {
    switch (from.kind) {
      case 'value':
        return from.value;
      case 'variable':
        return from.encode(bindings.variables[from.name]);
      case 'session': {
        const text =
          from.name === allSessionVariables
            ? sessionJson(bindings.session)
            : (bindings.session.get(from.name) ?? bindings.missing(from.name));
        return from.encode === undefined ? text : from.encode(text);
      }
      case 'input':
        return bindings.inputs?.[from.name];
      default:
        return from satisfies never;
    }
  });
}
