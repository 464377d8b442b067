/** GraphQL type expressions such as `[Int!]!`: read into wrappers around a name, and written back. */
import type { TypeRef } from '../types/action.ts';

/** Deeper nesting than this is a mistake, and introspection queries of clients do not reach it. */
const MOST_LISTS = 7;

const expression = /^(\[*)([_A-Za-z][_0-9A-Za-z]*)([!\]]*)$/;

/** The wrappers of `text` around its type name; undefined when it is no type expression. White space may stand between its parts. */
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

/** The expression of `type`, with `nameOf` for what is inside the wrappers. */
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

/** What is inside the wrappers. */
export function namedIn<Named>(type: TypeRef<Named>): Named {
  let inner = type;
  while (inner.kind !== 'named') inner = inner.of;
  return inner.type;
}

/** The same wrappers around another thing; undefined when `change` has none. */
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

/** True when a value of the type is a list, null aside. */
export function isList(type: TypeRef<unknown>): boolean {
  return type.kind === 'list' || (type.kind === 'nonNull' && type.of.kind === 'list');
}
