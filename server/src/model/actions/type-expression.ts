/** Parses and prints GraphQL type expressions such as `[Int!]!`. */
import type { TypeRef } from '../types/action.ts';

/** The most nested lists; introspection queries of clients do not reach deeper. */
const MOST_LISTS = 7;

const expression = /^(\[*)([_A-Za-z][_0-9A-Za-z]*)([!\]]*)$/;

/** Parses a type expression, with optional white space; undefined if `text` is not one. */
export function parseTypeExpression(text: string): TypeRef<string> | undefined {
  const [, opening = '', name = '', closing = ''] =
    expression.exec(text.trim().replaceAll(/\s*([[\]!])\s*/g, '$1')) ?? [];
  if (name === '' || opening.length > MOST_LISTS) return undefined;
  let type: TypeRef<string> = { kind: 'named', type: name };
  let open = opening.length;
  for (const mark of closing) {
    if (mark === '!') {
      if (type.kind === 'nonNull') return undefined;
      type = { kind: 'nonNull', of: type };
    } else {
      if (open === 0) return undefined;
      open -= 1;
      type = { kind: 'list', of: type };
    }
  }
  return open === 0 ? type : undefined;
}

/** Prints `type`, with `nameOf` for the named type. */
export function printType<Named>(type: TypeRef<Named>, nameOf: (named: Named) => string): string {
  switch (type.kind) {
    case 'named':
      return nameOf(type.type);
    case 'list':
      return `[${printType(type.of, nameOf)}]`;
    case 'nonNull':
      return `${printType(type.of, nameOf)}!`;
    default:
      return type satisfies never;
  }
}

/** The named type without list and non-null wrappers. */
export function namedIn<Named>(type: TypeRef<Named>): Named {
  let inner = type;
  while (inner.kind !== 'named') inner = inner.of;
  return inner.type;
}

/** `type` with its named type changed; undefined if `change` returns undefined. */
export function mapNamed<From, To>(
  type: TypeRef<From>,
  change: (named: From) => To | undefined,
): TypeRef<To> | undefined {
  if (type.kind === 'named') {
    const changed = change(type.type);
    return changed === undefined ? undefined : { kind: 'named', type: changed };
  }
  const inner = mapNamed(type.of, change);
  return inner === undefined ? undefined : { kind: type.kind, of: inner };
}

/** Whether non-null values of the type are lists. */
export function isList(type: TypeRef<unknown>): boolean {
  return type.kind === 'list' || (type.kind === 'nonNull' && type.of.kind === 'list');
}
