/** Creates the extension pgcrypto, which every database of Hasura v2 has, for SQL that calls its functions. */
import type { Query } from '../../../postgres/client/statement-run.ts';
import { runStatement } from '../../../postgres/sql/rows.ts';
import { join, literal, sql } from '../../../postgres/sql/sql.ts';

const names = [
  'armor',
  'crypt',
  'dearmor',
  'decrypt',
  'decrypt_iv',
  'digest',
  'encrypt',
  'encrypt_iv',
  'gen_random_bytes',
  'gen_random_uuid',
  'gen_salt',
  'hmac',
  'pgp_armor_headers',
  'pgp_key_id',
  'pgp_(?:pub|sym)_(?:de|en)crypt(?:_bytea)?',
];

/** A call in the schema `public` or in the search path. A definition of a function with such a name is no call. */
const calls = new RegExp(
  String.raw`(?<![\w$".])(?:(public|"public")\s*\.\s*)?"?(${names.join('|')})"?\s*\((?<!\bfunction\s+[\w".\s]*\()`,
  'gi',
);
const extension = /\bextension\s+(?:if\s+(?:not\s+)?exists\s+)?"?pgcrypto\b/i;

export interface CryptoCall {
  readonly name: string;
  /** Whether the schema `public` is written. */
  readonly inPublic: boolean;
}

/** Returns the functions of pgcrypto that the SQL calls; none where it creates or drops the extension itself. */
export function cryptoCalls(text: string): readonly CryptoCall[] {
  if (extension.test(text)) return [];
  const found = new Map<string, CryptoCall>();
  for (const [, schema, name = ''] of text.matchAll(calls)) {
    const call = { name: name.toLowerCase(), inPublic: schema !== undefined };
    found.set(`${call.inPublic} ${call.name}`, call);
  }
  return [...found.values()];
}

/**
 * Creates the extension in the schema `public` if the SQL calls a function of it that does not exist. An error of
 * PostgreSQL, such as a missing privilege, changes nothing; the SQL then fails with the name of its function.
 */
export async function createPgcrypto(query: Query, text: string): Promise<void> {
  const called = cryptoCalls(text);
  if (called.length === 0) return;
  const rows = called.map(({ name, inPublic }) => sql`(${literal(name)}, ${inPublic ? sql`true` : sql`false`})`);
  await runStatement(
    query,
    sql`do $pgcrypto$ begin
      if exists (
        select from (values ${join(rows, ', ')}) as called (name, in_public) where not exists (
          select from pg_catalog.pg_proc p where p.proname = called.name and
            case when in_public then p.pronamespace = to_regnamespace('public') else pg_function_is_visible(p.oid) end
        )
      ) then
        create extension if not exists pgcrypto schema public;
      end if;
    exception when others then
      raise notice 'pgcrypto: %', sqlerrm;
    end $pgcrypto$`,
  );
}
