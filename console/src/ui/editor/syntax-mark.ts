/** The position of a GraphQL syntax error. Pure. */
import type { GraphQLError } from 'graphql';
import type { Mark } from './editor-props.ts';

export function syntaxMark(text: string, error: GraphQLError): Mark {
  const at = Math.min(error.positions?.[0] ?? 0, text.length);
  const [word = ''] = /^(?:[_A-Za-z0-9]+|\S)/.exec(text.slice(at)) ?? [];
  // At the end of the text, underline the last character.
  const end = text.trimEnd().length;
  const [from, to] = word === '' ? [Math.max(0, end - 1), end] : [at, at + word.length];
  return { from, to, message: error.message, severity: 'error' };
}
