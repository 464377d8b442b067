/** Nested queries on the Chinook sample, compared with results computed in memory. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chinook, type TestDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';

const foreignKey = (name: string, column: string) => ({ name, using: { foreign_key_constraint_on: column } });
const arrayOf = (name: string, table: string, column: string) => ({
  name,
  using: { foreign_key_constraint_on: { table, column } },
});
const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'artist', array_relationships: [arrayOf('albums', 'album', 'artist_id')] },
        {
          table: 'album',
          object_relationships: [foreignKey('artist', 'artist_id')],
          array_relationships: [arrayOf('tracks', 'track', 'album_id')],
        },
        { table: 'track', object_relationships: [foreignKey('album', 'album_id'), foreignKey('genre', 'genre_id')] },
        { table: 'genre' },
      ],
    },
  ],
};

interface Artist {
  readonly artist_id: number;
  readonly name: string;
}
interface Album {
  readonly album_id: number;
  readonly title: string;
  readonly artist_id: number;
}
interface Track {
  readonly track_id: number;
  readonly name: string;
  readonly album_id: number;
  readonly genre_id: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Undefined if the file of the sample does not exist; the tests then pass without a comparison. */
let db: TestDatabase | undefined;
let engine: Engine;
let artists: readonly Artist[] = [];
let albums: readonly Album[] = [];
let tracks: readonly Track[] = [];

beforeAll(async () => {
  db = await chinook();
  if (db === undefined) return;
  engine = await startEngine({ metadata, databases: { default: db.database } });
  artists = await readTable('artist');
  albums = await readTable('album');
  tracks = await readTable('track');
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

async function readTable<Row>(name: string): Promise<readonly Row[]> {
  const text = `select json_agg(t order by t.${name}_id) from ${name} t`;
  const result = await db?.database.query({ text, values: [] });
  return JSON.parse(result?.rows[0]?.[0] ?? '[]');
}

async function read<Row>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<readonly Row[]> {
  const { body, statements } = await engine.execute({ query, variables });
  expect(statements).toHaveLength(1);
  const { data, errors } = JSON.parse(body);
  expect(errors).toBeUndefined();
  return Object.values(data)[0] as readonly Row[];
}

const artistOf = ({ artist_id }: Album) => {
  const found = artists.find((artist) => artist.artist_id === artist_id);
  return found && { name: found.name };
};
const albumOf = ({ album_id }: Track) => {
  const found = albums.find((album) => album.album_id === album_id);
  return found && { title: found.title, artist: artistOf(found) };
};

test('a query of all albums with artists and tracks is one statement and complete', async () => {
  if (db === undefined) return;
  const result = await read(
    '{ album(order_by: { album_id: asc }) { title artist { name } tracks(order_by: { milliseconds: desc, track_id: asc }) { track_id } } }',
  );
  const expected = albums.map((album) => ({
    title: album.title,
    artist: artistOf(album),
    tracks: tracks
      .filter(({ album_id }) => album_id === album.album_id)
      .sort((one, other) => other.milliseconds - one.milliseconds || one.track_id - other.track_id)
      .map(({ track_id }) => ({ track_id })),
  }));
  expect(result).toEqual(expected);
});

test('rows without order_by have the order of the table, with and without related objects', async () => {
  if (db === undefined) return;
  const plain = await read<Track>('{ track { track_id } }');
  const joined = await read<Track>('{ track { track_id album { title } genre { name } } }');
  expect(joined.map(({ track_id }) => track_id)).toEqual(plain.map(({ track_id }) => track_id));
});

/** Returns a generator of pseudo-random integers. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

const sorts: Readonly<Record<string, (track: Track) => number>> = {
  '{ genre_id: DIR }': ({ genre_id }) => genre_id,
  '{ milliseconds: DIR }': ({ milliseconds }) => milliseconds,
  '{ bytes: DIR }': ({ bytes }) => bytes,
  '{ album: { artist_id: DIR } }': (track) =>
    albums.find(({ album_id }) => album_id === track.album_id)?.artist_id ?? 0,
  '{ album: { tracks_aggregate: { count: DIR } } }': (track) =>
    tracks.filter(({ album_id }) => album_id === track.album_id).length,
};

test('pages of filtered and sorted rows equal those computed in memory', async () => {
  if (db === undefined) return;
  const random = randomFrom(7);
  for (let run = 0; run < 40; run += 1) {
    const genres = Array.from({ length: 1 + random(4) }, () => 1 + random(25));
    const keys = Object.keys(sorts);
    const order = [keys[random(keys.length)], keys[random(keys.length)]].map((key = '') => ({
      key,
      descending: random(2) === 1,
    }));
    const [limit, offset] = [random(3) === 0 ? null : random(30), random(2) === 0 ? null : random(40)];
    const terms = order.map(({ key, descending }) => key.replace('DIR', descending ? 'desc' : 'asc'));
    const query = `query ($genres: [Int!]!, $limit: Int, $offset: Int) {
      track(where: { genre_id: { _in: $genres } }, order_by: [${terms.join(', ')}, { track_id: asc }], limit: $limit, offset: $offset) {
        track_id
        album { title artist { name } }
      }
    }`;
    const sorted = tracks
      .filter(({ genre_id }) => genres.includes(genre_id))
      .map((track) => ({
        track,
        by: order.map(({ key, descending }) => (sorts[key]?.(track) ?? 0) * (descending ? -1 : 1)),
      }))
      .sort(
        (one, other) =>
          (one.by[0] ?? 0) - (other.by[0] ?? 0) ||
          (one.by[1] ?? 0) - (other.by[1] ?? 0) ||
          one.track.track_id - other.track.track_id,
      )
      .slice(offset ?? 0, limit === null ? undefined : (offset ?? 0) + limit)
      .map(({ track }) => ({ track_id: track.track_id, album: albumOf(track) }));
    expect(await read(query, { genres, limit, offset }), query).toEqual(sorted);
  }
});
