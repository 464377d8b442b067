/** The one way to write SQL: fragments made by a template tag. Values become parameters, identifiers are quoted. */

/** No JSON value can carry this symbol, so none can pose as a fragment. */
const mark: unique symbol = Symbol('sql');

/** Where the value of a parameter comes from when the statement is run. */
export type Slot =
  | { readonly kind: 'value'; readonly value: unknown }
  /**
   * A GraphQL variable, handed over as `encode` makes it. `shared`: that depends on nothing but the type that the
   * parameter is cast to, so that all uses of the variable under one cast are one parameter.
   */
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly encode: (value: unknown) => unknown;
      readonly shared?: true;
    }
  /**
   * A session variable, by its lower-case name (`x-service-user-id`). `encode` makes the parameter of its text and
   * depends on nothing but the type that the parameter is cast to; without it the text is the parameter.
   */
  | { readonly kind: 'session'; readonly name: string; readonly encode?: (text: string) => unknown }
  /** Filled by the caller of the statement, such as the key columns of a join. */
  | { readonly kind: 'input'; readonly name: string };

type Piece = string | Slot;

/** A piece of SQL. Made by `sql`, `ident`, `value`, `slot`, `join` and nothing else. */
export interface Sql {
  readonly [mark]: readonly Piece[];
}

/** A whole statement: text with `$n`, and for each `n` its slot. Equal slots share one parameter. */
export interface Statement {
  readonly text: string;
  readonly slots: readonly Slot[];
}

function fragment(pieces: readonly Piece[]): Sql {
  return { [mark]: pieces };
}

function piecesOf(part: unknown): readonly Piece[] {
  if (typeof part === 'object' && part !== null && mark in part) return (part as Sql)[mark];
  throw new TypeError('only a fragment made by the sql tag may stand in SQL');
}

/** One by one: a statement may have more pieces than a call takes arguments. */
function append(pieces: Piece[], part: unknown): void {
  for (const piece of piecesOf(part)) pieces.push(piece);
}

/** SQL text as written in the source, with fragments in its holes. Anything else in a hole throws. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  const pieces: Piece[] = [];
  strings.forEach((text, index) => {
    if (text !== '') pieces.push(text);
    if (index < parts.length) append(pieces, parts[index]);
  });
  return fragment(pieces);
}

/** A quoted identifier; several make a qualified one: `"shop"."order"`. */
export function ident(...names: readonly string[]): Sql {
  return fragment([names.map(quoteIdent).join('.')]);
}

/** `name` in double quotes. NUL cannot stand in an identifier and throws. */
export function quoteIdent(name: string): string {
  if (name.includes('\0')) throw new TypeError('an identifier cannot contain NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** A parameter with a value that is known now. */
export function value(constant: unknown): Sql {
  return fragment([{ kind: 'value', value: constant }]);
}

/** A parameter whose value is known when the statement runs. */
export function slot(from: Slot): Sql {
  return fragment([from]);
}

/** A string constant in the text itself; for names that the model made, never for what a request brought. */
export function literal(text: string): Sql {
  if (text.includes('\0')) throw new TypeError('a string constant cannot contain NUL');
  const escaped = text.replaceAll("'", "''");
  return fragment([text.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`]);
}

/** A whole number in the text itself. */
export function integer(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new TypeError(`not a whole number: ${number}`);
  return fragment([String(number)]);
}

/** Fragments one after the other with `separator` between them. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    if (index > 0) pieces.push(separator);
    append(pieces, part);
  });
  return fragment(pieces);
}

/** A type name the catalog made (already quoted where it must be), as a cast target. */
export interface SqlTypeName {
  /** Quoted, schema-qualified outside pg_catalog; see `postgres/catalog-types.ts`. */
  readonly sqlName: string;
}

/** `expression::type`. */
export function cast(expression: Sql, type: SqlTypeName): Sql {
  return fragment([...piecesOf(expression), `::${type.sqlName}`]);
}

/** The type name alone, for `cast(... as type)`, array constructors and the like. */
export function typeName(type: SqlTypeName): Sql {
  return fragment([type.sqlName]);
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

/** A cast behind a parameter; the names of some types have several words. */
const castBehind = /^::[^\s,)]+(?: varying| precision)?(?: with(?:out)? time zone)?/;

/**
 * Numbers the parameters. Session, input and shared variable slots of one name share a parameter only when they are followed by the
 * same cast in the text, because PostgreSQL gives each parameter one type.
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

/** A column that stands for a slot: its name, and the type that the statement casts it to. */
export interface SlotColumn {
  readonly name: string;
  readonly slot: Slot;
  readonly type: SqlTypeName;
}

/**
 * `statement` for many rows of values at once: each slot is a column of the row named `row` instead of a parameter.
 * Session and input slots of one name share a column where they share a parameter.
 */
export function overValueRows(
  statement: Sql,
  row: string,
): { readonly statement: Sql; readonly columns: readonly SlotColumn[] } {
  const columns: SlotColumn[] = [];
  const known = new Map<string, string>();
  const pieces = piecesOf(statement);
  const replaced = pieces.map((piece, index) => {
    if (typeof piece === 'string') return piece;
    const next = pieces[index + 1];
    // `cast` leaves the type as a piece of its own.
    const type = typeof next === 'string' && next.startsWith('::') ? next.slice(2) : 'text';
    const key = slotKey(piece);
    const shared = key === undefined ? undefined : known.get(`${key}::${type}`);
    if (shared !== undefined) return `${quoteIdent(row)}.${quoteIdent(shared)}`;
    const name = `v${columns.length}`;
    columns.push({ name, slot: piece, type: { sqlName: type } });
    if (key !== undefined) known.set(`${key}::${type}`, name);
    return `${quoteIdent(row)}.${quoteIdent(name)}`;
  });
  return { statement: fragment(replaced), columns };
}

/** What fills the slots of one run. */
export interface Bindings {
  /** GraphQL variables after coercion. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Session variables by lower-case name. */
  readonly session: ReadonlyMap<string, string>;
  /** Inputs by name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Called for a session variable that the session does not carry. Throws. */
  readonly missing: (sessionVariable: string) => never;
}

/** As the name of a session slot: all session variables as one JSON object. */
export const allSessionVariables = '*';

/** Secrets are no session variables. */
function sessionJson(session: Bindings['session']): string {
  return JSON.stringify(Object.fromEntries([...session].filter(([name]) => !name.endsWith('-admin-secret'))));
}

/** The parameter values of one run, in order of `$n`. */
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
