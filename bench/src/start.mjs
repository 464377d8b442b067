// The time from start to ready and from a metadata change to ready, and idle memory, with many tables and roles.
import { setTimeout as sleep } from 'node:timers/promises';
import { command, query, trackTable } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { median } from './measure/load.mjs';
import { memory } from './measure/process.mjs';
import { startJoinery, withServers } from './servers.mjs';

const sizes = [
  { tables: 100, roles: 1 },
  { tables: 500, roles: 10 },
];

/** Largest number of commands in one bulk. */
const BULK_SIZE = 5_000;

export async function start({ rounds }) {
  const report = [];
  for (const size of sizes) report.push(await measure(size, rounds));
  return report;
}

async function measure({ tables, roles }, rounds) {
  process.stdout.write(`\nstart: ${tables} tables, ${roles} roles, median of ${rounds} starts\n`);
  const database = await startDatabase();
  return withServers(database, async () => {
    await run(database.url, tablesSql(tables));
    const first = await startJoinery(database.url);
    const all = commands(tables, roles);
    for (let from = 0; from < all.length; from += BULK_SIZE) {
      await command(first.url, 'bulk', all.slice(from, from + BULK_SIZE));
    }
    await first.stop();
    const runs = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await once(database.url, roles));
    const names = Object.keys(runs[0]);
    const medians = Object.fromEntries(names.map((name) => [name, Math.round(median(runs.map((one) => one[name])))]));
    for (const name of names) process.stdout.write(`  ${name.padEnd(44)} ${medians[name]}\n`);
    return { tables, roles, ...medians };
  });
}

/** Measures a start: listening, the first response of each role, a metadata change, idle memory. */
async function once(databaseUrl, roles) {
  const began = performance.now();
  const server = await startJoinery(databaseUrl);
  const listening = performance.now() - began;
  try {
    await query(server.url, 'role_1', '{ table_1(limit: 1) { id } }');
    const firstResponse = performance.now() - began;
    for (let role = 2; role <= roles; role += 1)
      await query(server.url, `role_${role}`, '{ table_1(limit: 1) { id } }');
    const allRoles = performance.now() - began;
    const changes = [];
    for (const name of ['renamed', 'renamed_again', 'renamed_at_last']) changes.push(await change(server.url, name));
    await sleep(5000);
    return {
      'ms from start to listening': listening,
      'ms from start to the first response': firstResponse,
      'ms from start to a response for every role': allRoles,
      'ms from a metadata change to its response': median(changes),
      'MB resident after 5 s idle': (await memory(server.pid)).now,
    };
  } finally {
    await server.stop();
  }
}

/** Returns milliseconds from sending the command to the response of a query that needs its schema. */
async function change(url, name) {
  const began = performance.now();
  const configuration = { custom_name: name };
  await command(url, 'set_table_customization', { table: { schema: 'public', name: 'table_2' }, configuration });
  await query(url, 'role_1', `{ ${name}(limit: 1) { id } }`);
  return performance.now() - began;
}

/** Returns SQL that creates tables of a common width. Each but the first refers to the previous one. */
function tablesSql(count) {
  const table = (n) => `
    create table table_${n} (
      id int generated always as identity primary key, name text not null, note text, amount numeric(10, 2),
      made_at timestamptz not null default now(), tags jsonb, done boolean not null default false,
      ${n === 1 ? 'parent_id int' : `parent_id int references table_${n - 1}`}
    );`;
  return Array.from({ length: count }, (_, n) => table(n + 1)).join('');
}

/** Returns commands that track every table with relationships in both directions and let every role select its own rows. */
function commands(tables, roles) {
  const all = Array.from({ length: tables }, (_, n) => `table_${n + 1}`);
  const allowed = (table, role) => ({
    type: 'create_select_permission',
    args: { table, role, permission: { columns: '*', filter: { name: { _eq: 'X-Service-User-Name' } } } },
  });
  return [
    ...all.map(trackTable),
    ...all
      .slice(1)
      .flatMap((table, n) => [
        related('object', table, 'parent', 'parent_id'),
        related('array', all[n], 'children', { table, column: 'parent_id' }),
      ]),
    ...all.flatMap((table) => Array.from({ length: roles }, (_, n) => allowed(table, `role_${n + 1}`))),
  ];
}

const related = (type, table, name, using) => ({
  type: `create_${type}_relationship`,
  args: { table, name, using: { foreign_key_constraint_on: using } },
});
