/** An operation as a call of curl. Pure. */
import type { GraphQLRequest, Headers } from './graphql-api.ts';

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
