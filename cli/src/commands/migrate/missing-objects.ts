/** Advice on SQL that fails because it uses objects that every database of Hasura v2 has. */

/** Returns what to do about the error message of PostgreSQL; undefined where it names no such object. */
export function adviceOnMissing(message: string, source: string): string | undefined {
  if (/(schema|relation|function) "?hdb_catalog\b.* does not exist/.test(message)) {
    const database = source === 'default' ? '' : ` --database-name ${source}`;
    return `"joinery doctor --hasura-catalog${database}" creates the views of hdb_catalog; run it, then this command again`;
  }
  if (
    /function (public\.)?(armor|crypt|dearmor|digest|gen_random_bytes|gen_random_uuid|gen_salt|hmac|pgp_\w+)\(.*does not exist/.test(
      message,
    )
  ) {
    return 'the function belongs to the extension pgcrypto: run "create extension pgcrypto" as a user that may, or start the service with JOINERY_CREATE_PGCRYPTO=true';
  }
  return undefined;
}
