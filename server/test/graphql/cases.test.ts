/**
 * Runs the cases: folders under cases/ with request.graphql. The input is metadata, request and session; the output is SQL and
 * response. setup.sql and metadata.json are in the folder or in its parent. Each mutation has its own database.
 * UPDATE_CASES=1 writes the output.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, type SentStatement, startEngine } from '../support/service/engine.ts';
import { prettyJson, prettySql } from './case-format.ts';

const root = fileURLToPath(new URL('../cases/', import.meta.url));
const update = process.env.UPDATE_CASES === '1';

/** Folders of cases by the folder of their setup.sql. */
const groups = new Map<string, string[]>();
for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('request.graphql')) continue;
  const folder = join(root, dirname(file));
  const home = existsSync(join(folder, 'metadata.json')) ? folder : dirname(folder);
  groups.set(home, [...(groups.get(home) ?? []), folder]);
}

describe.each([...groups])('%s', (home, folders) => {
  let shared: CaseEnvironment;
  beforeAll(async () => {
    shared = await open(home);
  });
  afterAll(() => shared?.close());

  test('the metadata is consistent', () => {
    expect(shared.engine.inconsistencies).toEqual([]);
  });

  test.each(folders.map((folder) => [relative(root, folder), folder]))(
    'results in the recorded statements and response: %s',
    async (_name, folder) => {
      const query = readFileSync(join(folder, 'request.graphql'), 'utf8');
      const separate = /^mutation/m.test(query) ? await open(home) : undefined;
      const { body, statements } = await (separate ?? shared).engine.execute({
        query,
        variables: readJson(folder, 'variables.json'),
        ...readJson<Partial<EngineRequest>>(folder, 'session.json'),
      });
      await separate?.close();
      expectFile(folder, 'statement.sql', statements.map(printStatement).join('\n'));
      expectFile(folder, 'response.json', prettyJson(body));
    },
  );
});

interface CaseEnvironment {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Creates a database with setup.sql and starts an engine. */
async function open(home: string): Promise<CaseEnvironment> {
  const db = await testDatabase({ sql: readFileSync(join(home, 'setup.sql'), 'utf8') });
  const metadata = JSON.parse(readFileSync(join(home, 'metadata.json'), 'utf8'));
  const engine = await startEngine({ metadata, databases: { default: db.database } });
  return {
    engine,
    close: async () => {
      await engine.close();
      await db.drop();
    },
  };
}

function readJson<Value = Readonly<Record<string, unknown>>>(folder: string, name: string): Value | undefined {
  const file = join(folder, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Value) : undefined;
}

function expectFile(folder: string, name: string, content: string): void {
  const file = join(folder, name);
  if (update) writeFileSync(file, content);
  expect(content).toBe(existsSync(file) ? readFileSync(file, 'utf8') : undefined);
}

function printStatement({ text, values }: SentStatement): string {
  const parameters = values.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}\n`);
  return prettySql(text) + parameters.join('');
}
