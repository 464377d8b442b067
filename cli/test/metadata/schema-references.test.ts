/** Tests of the references from YAML files to JSON Schemas: which files have one, and that it stays in the first line. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonical, canonicalExport } from '../../src/commands/metadata/canonical.ts';
import { fileChanges, writeChanges } from '../../src/commands/metadata/export.ts';
import { readMetadata } from '../../src/project/metadata-directory.ts';
import { copyOfProject, joinery, type TestProject, textsIn } from '../support/command.ts';

let project: TestProject;
let directory: string;
beforeEach(async () => {
  project = await copyOfProject('version-3');
  directory = join(project.folder, 'metadata');
});
afterEach(() => project.remove());

const tables = 'databases/default/tables/tables.yaml';
const added = 'databases/default/tables/aaa_aaa.yaml';
const text = (file: string) => readFile(join(directory, file), 'utf8');
const schemas = () => joinery(['metadata', 'schemas', '--project', project.folder]);

/** Exports the metadata of the directory with one more table, which is the first one of its list. */
async function exportTable(): Promise<void> {
  const metadata = structuredClone(canonical(await readMetadata({ directory }))) as Record<string, unknown>;
  const [source] = metadata.sources as { readonly tables: unknown[] }[];
  source?.tables.push({ table: { schema: 'aaa', name: 'aaa' } });
  await writeChanges(await fileChanges({ directory }, canonicalExport(metadata as never), 3));
}

describe('joinery metadata schemas', () => {
  it('adds a line to each file and changes nothing else', async () => {
    const before = await textsIn(directory);
    expect(await schemas()).toMatchObject({ code: 0, err: '' });
    const after = Object.entries(await textsIn(directory)).filter(([file]) => !file.startsWith('.schemas/'));
    const withoutLine = after.map(([file, one]) => [file, one.replace(/^# yaml-language-server: \$schema=\S+\n/, '')]);
    expect(Object.fromEntries(withoutLine)).toEqual(before);
  });

  it('writes relative paths to files that exist', async () => {
    await schemas();
    expect((await text(tables)).split('\n')[0]).toBe('# yaml-language-server: $schema=../../../.schemas/tables.json');
    await expect(text('databases/default/tables/../../../.schemas/tables.json')).resolves.toContain(
      '"$ref":"table.json"',
    );
  });

  it('changes nothing when it runs again', async () => {
    await schemas();
    const before = await project.texts();
    expect(await schemas()).toMatchObject({ code: 0, out: expect.stringContaining('is that of this version') });
    expect(await project.texts()).toEqual(before);
  });

  it('leaves a reference to another schema', async () => {
    const own = '# yaml-language-server: $schema=https://example.com/tables.json\n';
    await writeFile(join(directory, tables), own + (await text(tables)));
    await schemas();
    expect((await text(tables)).match(/yaml-language-server/g)).toHaveLength(1);
  });

  it('leads from config.yaml to its schema in the metadata directory', async () => {
    await schemas();
    const config = await readFile(join(project.folder, 'config.yaml'), 'utf8');
    expect(config.split('\n')[0]).toBe('# yaml-language-server: $schema=metadata/.schemas/config.json');
  });
});

describe('an export', () => {
  it('refers to the schema in a new file of a project with schemas', async () => {
    await schemas();
    await exportTable();
    expect(await text(added)).toBe(
      '# yaml-language-server: $schema=../../../.schemas/table.json\ntable:\n  name: aaa\n  schema: aaa\n',
    );
  });

  it('writes no reference in a project without schemas', async () => {
    await exportTable();
    expect(await text(added)).toBe('table:\n  name: aaa\n  schema: aaa\n');
  });

  it('keeps the schema line where an element is added before the first one', async () => {
    await schemas();
    await exportTable();
    const [first, second] = (await text(tables)).split('\n');
    expect([first, second]).toEqual([
      '# yaml-language-server: $schema=../../../.schemas/tables.json',
      '- "!include aaa_aaa.yaml"',
    ]);
  });

  it('does not restore a reference that was removed', async () => {
    await schemas();
    await writeFile(join(directory, tables), (await text(tables)).replace(/^#.*\n/, ''));
    await exportTable();
    expect(await text(tables)).not.toContain('yaml-language-server');
  });

  it('writes the schemas with a new directory', async () => {
    const fresh = await mkdtemp(join(tmpdir(), 'joinery-fresh-'));
    const metadata = canonical(await readMetadata({ directory }));
    await writeChanges(await fileChanges({ directory: fresh }, canonicalExport(metadata as never), 3));
    const texts = await textsIn(fresh);
    const lines = Object.entries(texts).flatMap(([file, one]) =>
      file.endsWith('.yaml') && !one.startsWith('# yaml-language-server: $schema=') ? [file] : [],
    );
    await rm(fresh, { recursive: true });
    expect([Object.hasOwn(texts, '.schemas/table.json'), lines]).toEqual([true, []]);
  });
});
