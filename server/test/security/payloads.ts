/** What the security tests share: text that breaks out of SQL wherever it is not handed over as a value, and a victim. */
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

/** The rows of the victim as PostgreSQL has them, asked past the service. */
export async function victimIsWhole(service: TestService): Promise<void> {
  const text = `select string_agg(id || ':' || owner, ' ' order by id) from victim where id < 100`;
  expect(await column(service.database.database, text)).toEqual(['1:ann 2:bob 3:cid']);
}

interface Refused {
  readonly code?: string;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** The code with which an answer refuses; undefined where it does not. */
export function codeOf(body: unknown): string | undefined {
  const { code, errors } = body as Refused;
  return code ?? errors?.[0]?.extensions.code;
}
