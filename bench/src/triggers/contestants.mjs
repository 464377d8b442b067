// Services that call the sink for each inserted row of the table `item`: Joinery by an event trigger, graphile-worker by a trigger of
// the table that adds jobs, in its fastest form: one statement for all rows of an insert.
import { command } from '../commands.mjs';
import { run } from '../database.mjs';
import { startJoinery, startWorker } from '../servers.mjs';

export const CONCURRENCY = 100;

const table = 'create table item (n int not null, at bigint not null)';

export const contestants = [
  { name: 'graphile-worker', start: graphileWorker },
  { name: `joinery ${process.version}`, start: (postgres, sink) => joinery(postgres, sink) },
];

/** Starts Joinery with a trigger on the table `item` of a database of its own. */
export async function joinery(postgres, sink, name = 'throughput') {
  const url = await postgres.create(`triggers_${name}`);
  await run(url, table);
  const server = await startJoinery(url);
  await command(server.url, 'set_event_destination', { destination: sink.url, concurrency: CONCURRENCY });
  await command(server.url, 'pg_track_table', { table: 'item' });
  await command(server.url, 'pg_create_event_trigger', {
    name: 'added',
    table: 'item',
    insert: { columns: '*' },
    webhook: `${sink.url}/`,
  });
  return {
    server,
    url,
    left: `select exists (select from joinery.trigger_work) or exists (select from joinery.trigger_batches)
      or (select coalesce(pg_sequence_last_value(t.sequence), 0) from joinery.triggers t)
        > (select count(*) from joinery.trigger_1_log_s1) as pending`,
    clear: 'truncate item',
  };
}

async function graphileWorker(postgres, sink) {
  const url = await postgres.create('triggers_graphile');
  const server = await startWorker('graphile-worker', url, sink.url, CONCURRENCY);
  await run(
    url,
    `${table};
    create function capture() returns trigger language plpgsql as $$
    begin
      perform graphile_worker.add_jobs(array(
        select ('call', json_build_object('n', i.n, 'at', i.at), null, now(), 1, null, 0, null)::graphile_worker.job_spec from inserted i
      ));
      return null;
    end
    $$;
    create trigger capture after insert on item referencing new table as inserted for each statement execute function capture()`,
  );
  return {
    server,
    url,
    left: 'select exists (select from graphile_worker._private_jobs) as pending',
    clear: 'truncate item',
  };
}
