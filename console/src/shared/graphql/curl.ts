/** Formats an operation as a curl command. Pure. */
import type { GraphQLRequest, Headers } from './graphql-api.ts';

interface CurlParts extends GraphQLRequest {
  /** Headers of the role and session. */
  readonly headers: Headers;
  readonly origin: string;
  readonly headerPrefix: string;
  readonly secretRequired: boolean;
}

/** The secret is a shell variable, so that copied commands do not contain it. */
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

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
