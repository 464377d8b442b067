// The database of the benchmarks: the public Chinook sample if CHINOOK_SQL names its script, else a generated one of the same
// shape and size.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../server/dist/postgres/embedded/embedded.js';

/**
 * Creates a database, which `stop` drops with its server. Resolves with its URL and the origin of the rows. `copy` creates
 * another database with the same tables and rows and resolves with its URL.
 */
export async function startDatabase() {
  const postgres = await startPostgres();
  const chinook = process.env.CHINOOK_SQL;
  const script = chinook === undefined ? sameShape : await readFile(chinook, 'utf8');
  const create = async (what) => {
    const url = await postgres.create(what);
    await run(url, script);
    await run(url, more);
    await run(url, 'analyze');
    return url;
  };
  const url = await create('music');
  const data = chinook === undefined ? 'generated, of the shape of Chinook' : 'Chinook';
  return { url, data, copy: () => create('copy'), stop: postgres.stop };
}

/** Starts a server, or uses that of `DATABASE_URL`. `create` creates an empty database and resolves with its URL; `stop` drops all. */
export async function startPostgres() {
  const own = process.env.DATABASE_URL;
  const directory = own === undefined ? await mkdtemp(join(tmpdir(), 'joinery-bench-')) : undefined;
  const server = directory === undefined ? undefined : await startEmbedded({ directory });
  const base = own ?? server.url;
  const made = [];
  return {
    create: async (what) => {
      const name = `joinery_bench_${what}_${process.pid}`;
      await run(base, `create database ${name}`);
      made.push(name);
      return Object.assign(new URL(base), { pathname: `/${name}` }).href;
    },
    stop: async () => {
      if (server === undefined) for (const name of made) await run(base, `drop database ${name} with (force)`);
      await server?.stop();
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function run(url, script) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(script);
  } finally {
    await client.end();
  }
}

/** The tables that mutations write, and those that posts are joined to. */
const more = `
  create table person (id int primary key, name text not null, email text not null);
  insert into person select n, 'User number ' || n, 'user.' || n || '@example.com' from generate_series(1, 10) n;
  create table remark (
    remark_id int generated always as identity primary key, track_id int not null references track, words text not null
  );
`;

const sameShape = `
  create table artist (artist_id int primary key, name varchar(120));
  create table album (album_id int primary key, title varchar(160) not null, artist_id int not null references artist);
  create table track (
    track_id int primary key, name varchar(200) not null, album_id int references album,
    milliseconds int not null, unit_price numeric(10, 2) not null
  );
  create index on album (artist_id);
  create index on track (album_id);
  insert into artist select n, 'Artist number ' || n from generate_series(1, 275) n;
  insert into album select n, 'An album title of common length ' || n, 1 + n % 275 from generate_series(1, 347) n;
  insert into track
    select n, 'A track name of common length ' || n, 1 + n % 347, 200000 + n, 0.99 from generate_series(1, 3503) n;
`;
