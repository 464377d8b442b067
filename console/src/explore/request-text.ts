/** An operation as text for elsewhere: pretty, and as a call of curl. Pure. */
import { parse, print, TokenKind } from 'graphql';
import type { GraphQLRequest, Headers } from './explore-api.ts';

/** Undefined where it cannot be read, or has comments, which would be lost. */
export function prettyOperation(query: string): string | undefined {
  try {
    const document = parse(query);
    for (let token = document.loc?.startToken; token != null; token = token.next ?? undefined) {
      if (token.kind === TokenKind.COMMENT) return undefined;
    }
    return `${print(document)}\n`;
  } catch {
    return undefined;
  }
}

interface CurlParts extends GraphQLRequest {
  /** Of the role and the session. */
  readonly headers: Headers;
  readonly origin: string;
  readonly headerPrefix: string;
  readonly secretRequired: boolean;
}

/** The secret stands in a variable of the shell, so that it is not in what is copied around. */
export function curlOf(parts: CurlParts): string {
  const { query, variables, operationName, headers, origin, headerPrefix, secretRequired } = parts;
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  const given = variables.trim() === '' ? '' : `,"variables":${variables.trim()}`;
  return [
    `curl ${origin}/v1/graphql \\`,
    `  -H 'content-type: application/json' \\`,
    ...(secretRequired ? [`  -H "${headerPrefix}admin-secret: $ADMIN_SECRET" \\`] : []),
    ...Object.entries(headers).map(([header, value]) => `  -H ${quoted(`${header}: ${value}`)} \\`),
    `  -d ${quoted(`{"query":${JSON.stringify(query)}${given}${name}}`)}`,
  ].join('\n');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
