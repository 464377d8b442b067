/** The tables of the pages "from-hasura-*" are those that the code implies. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';
import { commandRows, ownCommandRows, settingRows } from './hasura-pages.ts';
import { memberRows } from './metadata-members.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Returns the rows of the table below a heading, without its head. */
function rowsBelow(page: string, heading: string): readonly string[] {
  const lines = read(`docs/${page}`).split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`${page} has no heading "${heading}"`);
  const section = lines.slice(from + 1);
  const end = section.findIndex((line) => line.startsWith('## '));
  return (end < 0 ? section : section.slice(0, end)).filter((line) => line.startsWith('| ')).slice(1);
}

it('docs/from-hasura-settings.md lists every variable of Hasura v2 with its counterpart', () => {
  expect(rowsBelow('from-hasura-settings.md', '## Variables')).toEqual(settingRows());
});

it('docs/from-hasura-commands.md lists every command of Hasura v2 with the endpoints that take it', () => {
  expect(rowsBelow('from-hasura-commands.md', '## Commands of Hasura v2')).toEqual(commandRows());
});

it('docs/from-hasura-commands.md lists every other command of the service', () => {
  expect(rowsBelow('from-hasura-commands.md', '## Other commands')).toEqual(ownCommandRows());
});

it('docs/from-hasura-metadata.md lists every member of the metadata', () => {
  expect(rowsBelow('from-hasura-metadata.md', '## Members')).toEqual(memberRows());
});

describe('the endpoints of docs/from-hasura-commands.md', () => {
  const rows = ['## Endpoints of Hasura v2', '## Other endpoints']
    .flatMap((heading) => rowsBelow('from-hasura-commands.md', heading))
    .map((line) => {
      const [, endpoint = '', here = ''] = line.split('|').map((cell) => cell.replaceAll('`', '').trim());
      const [method = '', path = ''] = endpoint.split(' ');
      return { method, path, here };
    });
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      JOINERY_ENABLED_APIS: 'metadata,graphql,config,developer,pgdump,metrics',
      JOINERY_ENABLE_MCP: 'true',
      JOINERY_MCP_SCOPES: 'docs:read',
    });
  });
  afterAll(() => service.stop());

  it.each(rows)('$method $path is $here', async ({ method, path, here }) => {
    const url = service.url + path.replace('*', 'absent');
    const response = await fetch(url, { method, ...(method === 'POST' && { body: '{}' }) });
    const isAbsent = (await response.text()).includes('there is no endpoint');
    expect(['supported', 'not supported']).toContain(here);
    expect(isAbsent ? 'not supported' : 'supported').toBe(here);
  });

  it('include every path that the code names', () => {
    const folder = new URL('server/src/http/routes/', root);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const inCode = files.flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/'(\/[\w./*-]+)'/g)].map(([, path = '']) => path),
    );
    const isListed = (path: string): boolean =>
      rows.some((one) => one.path === path || (one.path.endsWith('*') && path.startsWith(one.path.slice(0, -1))));
    expect(inCode.length).toBeGreaterThan(10);
    expect(inCode.filter((path) => !isListed(path))).toEqual([]);
  });
});
