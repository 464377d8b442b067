/** The part of the catalog of Hasura v2 that captures events, for tests of the switch from it. */

/** Creates the tables of events and the function that writes them. */
export const hasuraEventTables = `
  create schema if not exists hdb_catalog;
  create table hdb_catalog.event_log (
    id text primary key default gen_random_uuid()::text, schema_name text not null, table_name text not null,
    trigger_name text not null, payload jsonb not null, delivered boolean not null default false,
    error boolean not null default false, tries integer not null default 0, created_at timestamp default now(),
    locked timestamptz, next_retry_at timestamp, archived boolean not null default false
  );
  create table hdb_catalog.event_invocation_logs (
    id text primary key default gen_random_uuid()::text, trigger_name text, event_id text, status integer, request json,
    response json, created_at timestamp default now()
  );
  create function hdb_catalog.insert_event_log(
    schema_name text, table_name text, trigger_name text, op text, row_data json
  ) returns text language sql as $$
    insert into hdb_catalog.event_log (schema_name, table_name, trigger_name, payload)
    values (schema_name, table_name, trigger_name, jsonb_build_object(
      'op', op, 'data', row_data, 'session_variables', nullif(current_setting('hasura.user', true), '')::jsonb,
      'trace_context', nullif(current_setting('hasura.tracecontext', true), '')::jsonb
    ))
    returning id
  $$;`;

/** Creates the functions and triggers of an event trigger on a table of the schema public. */
export function hasuraTrigger(
  name: string,
  table: string,
  operations: readonly ('INSERT' | 'UPDATE' | 'DELETE')[],
): string {
  return operations
    .map((operation) => {
      const old = operation === 'INSERT' ? 'null' : 'row_to_json(old)';
      const fresh = operation === 'DELETE' ? 'null' : 'row_to_json(new)';
      const named = `"notify_hasura_${name}_${operation}"`;
      return `
        create or replace function hdb_catalog.${named}() returns trigger language plpgsql as $$
        begin
          perform hdb_catalog.insert_event_log('public', '${table}', '${name}', '${operation}',
            json_build_object('old', ${old}, 'new', ${fresh}));
          return null;
        end $$;
        create trigger ${named} after ${operation} on ${table} for each row execute function hdb_catalog.${named}();`;
    })
    .join('');
}
