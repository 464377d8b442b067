/** Injection payloads of the security tests: text that breaks out of SQL unless it is passed as a parameter. */
import { expect } from 'vitest';
import { column } from '../support/events/delivery-node.ts';
import type { TestService } from '../support/service/test-service.ts';

export const payloads: readonly string[] = [
  `'; drop table victim; --`,
  `"; drop table victim; --`,
  `' or '1'='1`,
  `") or 1=1 --`,
  `\\'; drop table victim; --`,
  `$$; drop table victim; $$`,
  `$1::text); drop table victim; --`,
  `x' union select rolpassword from pg_authid --`,
  `/*'*/;drop/**/table/**/victim`,
  `%' escape '%`,
  `X-Service-User-Id`,
  `{{JOINERY_DATABASE_URL}}`,
  'line\n; drop table victim; --',
  `ʼ＇"；drop table victim`,
];

/** A name with every character that has a meaning in SQL. */
export const oddName = `o'd"d"";\\ $1 $$; drop table victim; --`;
export const quotedName = `"${oddName.replaceAll('"', '""')}"`;

/** Asserts that the rows of the table `victim` in the database are unchanged. */
export async function expectVictimUnchanged(service: TestService): Promise<void> {
  const text = `select string_agg(id || ':' || owner, ' ' order by id) from victim where id < 100`;
  expect(await column(service.database.database, text)).toEqual(['1:ann 2:bob 3:cid']);
}

interface ErrorBody {
  readonly code?: string;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** Returns the code of the error in a response body, undefined if the body is no error. */
export function codeOf(body: unknown): string | undefined {
  const { code, errors } = body as ErrorBody;
  return code ?? errors?.[0]?.extensions.code;
}
