// A large project: metadata changes, tracking of many tables, migrations, introspection and memory.
import { setTimeout as sleep } from 'node:timers/promises';
import { command, query } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { median } from './measure/load.mjs';
import { cpuSeconds, memory } from './measure/process.mjs';
import { largeMetadata, largeTables } from './project.mjs';
import { startJoinery, withServers } from './servers.mjs';

const project = { tables: 320, roles: 10, actions: 168, computedFields: 125 };
/** The size of the limit of memory. */
const wide = { tables: 500, roles: 10, actions: 0, computedFields: 0 };

/** Tables that are tracked by one command, and migrations that are applied. */
const TRACKED = 100;
const MIGRATIONS = 10;

export async function schema({ rounds }) {
  const [large, broad] = [await measure(project, rounds), await measure(wide, rounds)];
  const bar = (what, most, unit, value) => ({
    what,
    bar: `≤ ${most} ${unit}`,
    measured: `${value} ${unit}`,
    met: value <= most,
  });
  const msPerType = large[`${introspectionOf('a role')}: ms`] / large[`${introspectionOf('a role')}: types`];
  return {
    projects: [large, broad],
    bars: [
      bar('metadata change, 320 tables and 10 roles', 150, 'ms', large[`${change}: ms`]),
      bar('first introspection, for 6,000 types', 500, 'ms', Math.round(6000 * msPerType)),
      bar('memory with 500 tables and 10 roles, each role used', 250, 'MB', broad[afterRoles]),
    ],
  };
}

const change = 'change of one permission and a query of its role';
const afterRoles = 'all roles used once: MB resident';
const introspectionOf = (whom) => `first introspection of ${whom}`;

async function measure(size, rounds) {
  process.stdout.write(`\nschema: ${JSON.stringify(size)}, median of ${rounds} starts\n`);
  const database = await startDatabase();
  return withServers(database, async () => {
    await run(database.url, largeTables(size));
    const first = await startJoinery(database.url);
    await command(first.url, 'replace_metadata', largeMetadata(size));
    await first.stop();
    const runs = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await once(size, await startJoinery(database.url)));
    const names = Object.keys(runs[0]);
    const medians = Object.fromEntries(names.map((name) => [name, Math.round(median(runs.map((one) => one[name])))]));
    for (const name of names) process.stdout.write(`  ${name.padEnd(64)} ${medians[name]}\n`);
    return { ...size, ...medians };
  });
}

/** Measures one start of the service, and stops it. */
export async function once(size, server) {
  const report = {};
  /** Records the time of `work` and the CPU time of the service meanwhile, in milliseconds for each of `count`. */
  const timed = async (name, work, count = 1) => {
    const began = performance.now();
    const before = await cpuSeconds(server.pid);
    const result = await work();
    report[`${name}: ms`] = (performance.now() - began) / count;
    report[`${name}: ms of CPU`] = (((await cpuSeconds(server.pid)) - before) * 1000) / count;
    return result;
  };
  const admin = (type, args) => command(server.url, type, args);
  try {
    await admin('replace_metadata', largeMetadata(size));
    await timed('first response of every role', async () => {
      for (let role = 1; role <= size.roles; role += 1) {
        await query(server.url, `role_${role}`, '{ table_2(limit: 1) { id } }');
      }
    });
    await sleep(5000);
    report[afterRoles] = (await memory(server.pid)).now;
    for (const role of ['role_2', 'admin']) {
      const name = introspectionOf(role === 'admin' ? 'admins' : 'a role');
      const text = await timed(name, () => query(server.url, role, introspection));
      report[`${name}: types`] = JSON.parse(text).data.__schema.types.length;
      report[`${name}: kB`] = text.length / 1024;
      await timed(name.replace('first', 'second'), () => query(server.url, role, introspection));
    }
    const changes = 6;
    await timed(
      change,
      async () => {
        for (let round = 1; round <= changes; round += 1) {
          const args = { table: 'table_2', role: 'role_1' };
          await admin('drop_select_permission', args);
          const permission = { columns: '*', filter: { amount: { _gt: round } } };
          await admin('create_select_permission', { ...args, permission });
          await query(server.url, 'role_1', '{ table_2(limit: 1) { id } }');
        }
      },
      changes * 2,
    );
    await timed('tracking of one table', () =>
      admin('pg_untrack_table', { table: `table_${size.tables}`, cascade: true }),
    );
    await timed('tracking of one table', () => admin('pg_track_table', { table: `table_${size.tables}` }));
    const tables = Array.from({ length: TRACKED }, (_, n) => ({ table: `table_${size.tables - n}`, cascade: true }));
    await timed(`untracking of ${TRACKED} tables`, () => admin('pg_untrack_tables', { tables }));
    await timed(`tracking of ${TRACKED} tables`, () =>
      admin('pg_track_tables', { tables: tables.map(({ table }) => ({ table })) }),
    );
    await timed(
      'migration',
      async () => {
        for (let n = 1; n <= MIGRATIONS; n += 1) {
          const sql = `create table if not exists migrated_${n} (id int primary key); drop table migrated_${n};`;
          await admin('run_sql', { source: 'default', sql, cascade: false, read_only: false });
        }
      },
      MIGRATIONS,
    );
    await sleep(5000);
    report['at the end: MB resident'] = (await memory(server.pid)).now;
    report['at most: MB resident'] = (await memory(server.pid)).most;
    return report;
  } finally {
    await server.stop();
  }
}

/** The document of graphql-js, which GraphiQL and code generators send. */
const introspection = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types { ...FullType }
    directives { name description locations args { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description
  fields(includeDeprecated: true) {
    name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason
  }
  inputFields { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
    kind name ofType { kind name } } } } } } }
}`;
