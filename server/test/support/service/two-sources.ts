/** A service with a table of authors, and a second database that tests add as source `shop`. */
import { type TestDatabase, testDatabase } from '../database/test-database.ts';
import { startService, type TestService } from './test-service.ts';

export const authors = `
  create table author (id serial primary key, name text not null unique);
  insert into author (name) values ('Ann'), ('Ben');`;
/** The second database also has a table `author`. */
export const books = `
  create table author (id serial primary key, name text not null unique);
  create table book (id serial primary key, author_id int, title text not null);
  insert into author (name) values ('Zoe');
  insert into book (author_id, title) values (1, 'One'), (1, 'Two'), (2, 'Three');
  create function titled(part text) returns setof book language sql stable as $$ select * from book where title ~ part $$;`;

export const admin = { 'x-service-role': 'admin' };
export const prefixed = { root_fields: { prefix: 'shop_' }, type_names: { prefix: 'Shop_' } };

export interface Shop {
  readonly first: TestDatabase;
  readonly second: TestDatabase;
  readonly service: TestService;
  /** Runs `work` while the second database is a source `shop` with all its tables. */
  withShop(customization: object, work: () => Promise<void>, more?: object): Promise<void>;
  stop(): Promise<void>;
}

export async function startShop(): Promise<Shop> {
  const [first, second] = await Promise.all([testDatabase({ sql: authors }), testDatabase({ sql: books })]);
  const service = await startService({ SHOP_URL: second.url }, first);
  await service.command('track_table', 'author');
  return {
    first,
    second,
    service,
    withShop: async (customization, work, more = {}) => {
      const configuration = { ...connectionTo(second.url), ...more };
      await service.command('pg_add_source', { name: 'shop', configuration, customization });
      try {
        for (const table of ['author', 'book']) await service.command('pg_track_table', { source: 'shop', table });
        await work();
      } finally {
        await service.command('pg_drop_source', { name: 'shop', cascade: true });
      }
    },
    stop: async () => {
      await service.stop();
      await Promise.all([first.drop(), second.drop()]);
    },
  };
}

/** Returns the configuration of a source with that URL. */
export function connectionTo(url: string, more: object = {}): object {
  return { connection_info: { database_url: url, ...more } };
}
