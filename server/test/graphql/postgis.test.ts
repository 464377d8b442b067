/** Geometry, geography and raster in PostGIS: operators compared with SQL, and GeoJSON as input and output. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/postgres/client/pool.ts';
import { type PostgisServer, postgisServer } from '../support/database/postgis-server.ts';
import { connect } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';

const sql = `
  create extension postgis; create extension postgis_raster;
  create table place (
    id int primary key, shape geometry(Geometry, 4326), spot geography(Point, 4326), solid geometry(GeometryZ, 4326), picture raster
  );
  insert into place values
    (1, 'SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))', 'SRID=4326;POINT(0 0)', 'SRID=4326;POINT Z (0 0 0)', st_makeemptyraster(4, 4, 0, 4, 1)),
    (2, 'SRID=4326;POINT(1 1)', 'SRID=4326;POINT(0.01 0)', 'SRID=4326;POINT Z (0 0 5)', null),
    (3, 'SRID=4326;LINESTRING(-1 2,5 2)', 'SRID=4326;POINT(10 10)', 'SRID=4326;LINESTRING Z (0 0 0, 1 1 1)', st_makeemptyraster(2, 2, 50, 50, 1)),
    (4, 'SRID=4326;POLYGON((4 0,8 0,8 4,4 4,4 0))', null, null, null),
    (5, 'SRID=4326;POLYGON((2 2,6 2,6 6,2 6,2 2))', 'SRID=4326;POINT(-179 0)', null, null),
    (6, null, null, null, null);
  update place set picture = st_addband(picture, '8BUI'::text, 7) where picture is not null;
`;
const allRows = { columns: '*', filter: {}, allow_aggregations: true };
const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'place',
          select_permissions: [
            {
              role: 'near',
              permission: {
                ...allRows,
                filter: { spot: { _st_d_within: { from: 'X-Service-Where', distance: 5_000 } } },
              },
            },
          ],
          insert_permissions: [
            {
              role: 'near',
              permission: {
                columns: ['id', 'shape'],
                check: { shape: { _st_within: { type: 'Polygon', coordinates: [square(0, 10)] } } },
              },
            },
          ],
        },
      ],
    },
  ],
};

function square(low: number, high: number): number[][] {
  return [
    [low, low],
    [high, low],
    [high, high],
    [low, high],
    [low, low],
  ];
}

let server: PostgisServer | undefined;
let admin: Database | undefined;
let database: Database;
let engine: Engine;
const name = `postgis_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  server = await postgisServer();
  if (server === undefined) return;
  admin = connect(server.url, 1);
  await admin.query({ text: `create database ${name}`, values: [] });
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  database = connect(url.href);
  await database.query({ text: sql, values: [] });
  engine = await startEngine({ metadata, databases: { default: database } });
  expect(engine.inconsistencies).toEqual([]);
}, 120_000);
afterAll(async () => {
  await engine?.close();
  await database?.close();
  await admin?.query({ text: `drop database if exists ${name} with (force)`, values: [] });
  await admin?.close();
  server?.stop();
});

/** Registers a test that is skipped with a reason if PostGIS is not available. */
function spatial(title: string, work: () => Promise<void>): void {
  test(title, async ({ skip }) => {
    if (server === undefined) skip('PostGIS is not available');
    await work();
  });
}

async function run(query: string, more: Partial<Parameters<Engine['execute']>[0]> = {}): Promise<unknown> {
  return JSON.parse((await engine.execute({ query, ...more })).body);
}

async function idsWhere(condition: string): Promise<unknown> {
  const text = `select coalesce(json_agg(json_build_object('id', id) order by id), '[]') from place where ${condition}`;
  return JSON.parse((await database.query({ text, values: [] })).rows[0]?.[0] ?? '');
}

const polygon = "'SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))'::geometry";
const asJson = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 4],
      [0, 0],
    ],
  ],
};

describe('operators match the rows that PostGIS matches:', () => {
  for (const operator of ['contains', 'crosses', 'equals', 'overlaps', 'touches', 'within', 'intersects']) {
    spatial(`_st_${operator} on geometry`, async () => {
      const query = `query ($shape: geometry!) { place(where: { shape: { _st_${operator}: $shape } }, order_by: { id: asc }) { id } }`;
      const place = await idsWhere(`st_${operator}(shape, ${polygon})`);
      expect(await run(query, { variables: { shape: asJson } })).toEqual({ data: { place } });
      const none = `{ place(where: { _not: { shape: { _st_${operator}: "SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))" } } }, order_by: { id: asc }) { id } }`;
      expect(await run(none)).toEqual({ data: { place: await idsWhere(`not st_${operator}(shape, ${polygon})`) } });
    });
  }

  const others: readonly (readonly [string, string, string])[] = [
    [
      'shape: { _st_d_within: { from: { type: "Point", coordinates: [5, 1] }, distance: 1.5 } }',
      `st_dwithin(shape, 'SRID=4326;POINT(5 1)', 1.5)`,
      'geometry',
    ],
    [
      'solid: { _st_3d_d_within: { from: { type: "Point", coordinates: [0, 0, 6] }, distance: 2 } }',
      `st_3ddwithin(solid, 'SRID=4326;POINT Z (0 0 6)', 2)`,
      'geometry in 3D',
    ],
    [
      'solid: { _st_3d_intersects: { type: "Point", coordinates: [0, 0, 5] } }',
      `st_3dintersects(solid, 'SRID=4326;POINT Z (0 0 5)')`,
      'geometry in 3D',
    ],
    [
      'spot: { _st_d_within: { from: { type: "Point", coordinates: [0, 0] }, distance: 2000 } }',
      `st_dwithin(spot, 'SRID=4326;POINT(0 0)', 2000)`,
      'geography in meters',
    ],
    [
      'spot: { _st_d_within: { from: { type: "Point", coordinates: [0, 0] }, distance: 1111, use_spheroid: false } }',
      `st_dwithin(spot, 'SRID=4326;POINT(0 0)', 1111, false)`,
      'geography on a sphere',
    ],
    [
      'spot: { _st_intersects: { type: "Point", coordinates: [10, 10] } }',
      `st_intersects(spot, 'SRID=4326;POINT(10 10)'::geography)`,
      'geography',
    ],
    [
      'shape: { _cast: { geography: { _st_d_within: { from: { type: "Point", coordinates: [1, 1] }, distance: 10 } } } }',
      `st_dwithin(shape::geography, 'SRID=4326;POINT(1 1)', 10)`,
      'a cast',
    ],
    [
      'picture: { _st_intersects_geom_nband: { geommin: "POINT(1 1.5)" } }',
      `st_intersects(picture, 'POINT(1 1.5)'::geometry)`,
      'raster',
    ],
    [
      'picture: { _st_intersects_nband_geom: { nband: 1, geommin: "POINT(1 1.5)" } }',
      `st_intersects(picture, 1, 'POINT(1 1.5)'::geometry)`,
      'raster, one band',
    ],
  ];
  for (const [where, condition, what] of others) {
    spatial(`${where.split(':')[1]?.trim().slice(2)} (${what})`, async () => {
      const place = await idsWhere(condition);
      expect(await run(`{ place(where: { ${where} }, order_by: { id: asc }) { id } }`)).toEqual({ data: { place } });
      expect(place).not.toEqual([]);
    });
  }
});

describe('spatial values', () => {
  spatial('are GeoJSON in responses, as PostGIS prints it', async () => {
    const text = `select json_agg(json_build_object('shape', st_asgeojson(shape, 15, 4)::json, 'spot', st_asgeojson(spot, 15, 4)::json) order by id) from place where id < 4`;
    const place = JSON.parse((await database.query({ text, values: [] })).rows[0]?.[0] ?? '');
    expect(await run('{ place(where: { id: { _lt: 4 } }, order_by: { id: asc }) { shape spot } }')).toEqual({
      data: { place },
    });
  });

  spatial('are accepted as GeoJSON or text, and rejected in other forms', async () => {
    const query = `mutation ($shape: geometry) {
      insert_place_one(object: { id: 20, shape: $shape }) { shape } delete_place_by_pk(id: 20) { id }
    }`;
    const point = { type: 'Point', coordinates: [3, 4] };
    for (const shape of [point, 'SRID=4326;POINT(3 4)']) {
      expect(await run(query, { variables: { shape } })).toMatchObject({
        data: { insert_place_one: { shape: point } },
      });
    }
    for (const shape of [
      { type: 'Point' },
      { type: 'Blob', coordinates: [1, 2] },
      7,
      'POINT(',
      { type: 'Point', coordinates: ['x', 1] },
    ]) {
      const code = expect.stringMatching(/^(data-exception|parse-failed|validation-failed)$/);
      expect(await run(query, { variables: { shape } })).toMatchObject({ errors: [{ extensions: { code } }] });
    }
  });
});

spatial('a comparison of values with different reference systems fails with data-exception', async () => {
  expect(await run('{ place(where: { shape: { _st_intersects: "SRID=3857;POINT(1 1)" } }) { id } }')).toMatchObject({
    errors: [{ extensions: { code: 'data-exception', path: '$.selectionSet.place' } }],
  });
});

describe('permissions', () => {
  const near = { role: 'near', session: { 'x-service-where': '{"type":"Point","coordinates":[0,0]}' } };

  spatial('row rules accept a shape in a session variable', async () => {
    const place = await idsWhere("st_dwithin(spot, 'SRID=4326;POINT(0 0)', 5000)");
    expect(place).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await run('{ place(order_by: { id: asc }) { id } }', near)).toEqual({ data: { place } });
  });

  spatial('checks of insert permissions apply to inserted shapes', async () => {
    const query = 'mutation ($s: geometry) { insert_place(objects: [{ id: 30, shape: $s }]) { affected_rows } }';
    const at = (x: number) => ({ ...near, variables: { s: { type: 'Point', coordinates: [x, 5] } } });
    expect(await run(query, at(50))).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] });
    expect(await run(query, at(5))).toEqual({ data: { insert_place: { affected_rows: 1 } } });
    await database.query({ text: 'delete from place where id = 30', values: [] });
  });
});
