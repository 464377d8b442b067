/** Names that GraphQL permits, and such names for other text. Pure. */

/** Names that start with `__` are reserved for introspection. */
export const GRAPHQL_NAME: RegExp = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/;

/** Whether GraphQL permits `name` as a field or type. */
export function isGraphqlName(name: string): boolean {
  return GRAPHQL_NAME.test(name);
}

/** Returns a GraphQL name that resembles `text`: `users_address` for `users address`. Undefined without a letter or digit of it. */
export function suggestedName(text: string): string | undefined {
  const plain = text.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const joined = plain.replace(/[^_0-9A-Za-z]+/g, '_').replace(/^_+|_+$/g, '');
  if (joined === '') return undefined;
  return /^[0-9]/.test(joined) ? `_${joined}` : joined;
}
