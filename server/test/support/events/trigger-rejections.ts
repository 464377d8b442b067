/** A service with tables and event triggers, whose commands are rejected and then must have changed nothing. */
import { startTriggerService, type TriggerService } from './trigger-service.ts';

export interface RejectionService extends TriggerService {
  /** Returns all that commands on triggers make: metadata, triggers, functions, tables and rows. */
  everything(): Promise<unknown>;
}

/** A trigger of the table `item`, which does not exist. */
export const smallest = { name: 'absent', table: 'item', insert: { columns: '*' }, webhook: '{{HOOKS}}/absent' };

export async function startRejectionService(): Promise<RejectionService> {
  const s = await startTriggerService({
    sql: `create table item (id int primary key, name text, data jsonb, owner_id int);
      create table note (id int primary key, name text);
      create table untracked (id int);
      create view items as select id, name from item;
      create function item_label(one item) returns text language sql stable as 'select one.name'`,
    tables: ['item', 'note', 'items'],
    environment: { NO_URL: 'no url', LINES: 'a\nb' },
  });
  await s.run('pg_create_object_relationship', {
    table: 'item',
    name: 'owner',
    using: { manual_configuration: { remote_table: 'note', column_mapping: { owner_id: 'id' } } },
  });
  await s.run('pg_add_computed_field', { table: 'item', name: 'label', definition: { function: 'item_label' } });
  await s.create('present', { table: 'item', insert: { columns: '*' } });
  await s.create('manual_only', { table: 'note', enable_manual: true });
  const everything = async (): Promise<unknown> => {
    const made = await s.column(`
      select 'trigger ' || tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal and tgname like 'joinery%'
      union all select 'function ' || oid::regprocedure || ' ' || md5(prosrc) from pg_proc where pronamespace = 'joinery'::regnamespace
      union all select 'relation ' || oid::regclass from pg_class where relnamespace = 'joinery'::regnamespace
      union all select 'row ' || t::text from joinery.triggers t order by 1`);
    return { made, metadata: await s.run('export_metadata', {}) };
  };
  return { ...s, everything };
}
