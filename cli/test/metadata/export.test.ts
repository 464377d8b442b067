/** Tests that an export changes only the different parts of the files of a project. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonical, canonicalExport } from '../../src/commands/metadata/canonical.ts';
import { fileChanges, writeChanges } from '../../src/commands/metadata/export.ts';
import { readMetadata } from '../../src/project/metadata-directory.ts';
import { copyOfProject, type TestProject, textsIn } from '../support/command.ts';

let project: TestProject;
let directory: string;
beforeEach(async () => {
  project = await copyOfProject('version-3');
  directory = join(project.folder, 'metadata');
});
afterEach(() => project.remove());

// biome-ignore lint/suspicious/noExplicitAny: edits JSON of all shapes, and the tests compare the results.
type Json = any;

/** Exports the metadata of the directory after `edit` to it. Resolves with the paths of written and removed files. */
async function exportAfter(edit: (metadata: Json) => void): Promise<{ written: string[]; removed: string[] }> {
  const metadata = structuredClone(canonical(await readMetadata({ directory })));
  edit(metadata);
  const wanted = canonicalExport(metadata);
  const changes = await fileChanges({ directory }, wanted, 3);
  await writeChanges(changes);
  expect(canonical(await readMetadata({ directory }))).toEqual(wanted);
  return { written: [...changes.write.keys()].sort(), removed: [...changes.remove] };
}

const text = (file: string) => readFile(join(directory, file), 'utf8');
const tableOf = (metadata: Json, name: string) =>
  metadata.sources[0].tables.find((one: Json) => one.table.name === name);
const actionOf = (metadata: Json, name: string) => metadata.actions.find((one: Json) => one.name === name);

describe('an export', () => {
  it('changes one permission in one file and keeps its comments', async () => {
    const before = await project.texts();
    const changed = await exportAfter((metadata) => {
      tableOf(metadata, 'article').select_permissions[1].permission.limit = 50;
      tableOf(metadata, 'article').select_permissions[0].permission.columns.push('body');
    });
    expect(changed).toEqual({ written: ['databases/default/tables/public_article.yaml'], removed: [] });
    const file = 'metadata/databases/default/tables/public_article.yaml';
    const old = String(before[file]);
    expect(await text('databases/default/tables/public_article.yaml')).toBe(
      old
        .replace(
          '        - id\n        - title\n      filter:\n        published:',
          '        - id\n        - title\n        - body\n      filter:\n        published:',
        )
        .replace('      allow_aggregations: true\n', '      limit: 50\n      allow_aggregations: true\n'),
    );
  });

  it('removes the file of a removed table and adds one for a new table', async () => {
    await writeFile(join(directory, 'databases/default/tables/notes.txt'), 'ours');
    const changed = await exportAfter((metadata) => {
      const { tables } = metadata.sources[0];
      tables.splice(
        tables.findIndex((one: Json) => one.table.name === 'status'),
        1,
      );
      tables.push({ table: { schema: 'public', name: 'tag' } });
    });
    expect(changed).toEqual({
      written: ['databases/default/tables/public_tag.yaml', 'databases/default/tables/tables.yaml'],
      removed: ['databases/default/tables/public_status.yaml'],
    });
    expect(await text('databases/default/tables/public_tag.yaml')).toBe('table:\n  name: tag\n  schema: public\n');
    expect(await text('databases/default/tables/tables.yaml')).toContain('- "!include public_tag.yaml"\n');
    const texts = await textsIn(directory);
    expect(texts).toMatchObject({ 'databases/default/tables/notes.txt': 'ours', 'README.md': expect.anything() });
    expect(texts).not.toHaveProperty(['databases/default/tables/public_status.yaml']);
  });

  it('writes a new source into its own files, and gives two tables with equal file names different ones', async () => {
    const { written } = await exportAfter((metadata) => {
      metadata.sources.push({
        name: 'ware house',
        kind: 'postgres',
        tables: [{ table: { schema: 'a_b', name: 'c' } }, { table: { schema: 'a', name: 'b_c' } }],
        configuration: { connection_info: { database_url: { from_env: 'WAREHOUSE_URL' } } },
      });
    });
    expect(written).toEqual([
      'databases/databases.yaml',
      'databases/ware_house/tables/a_b_c-2.yaml',
      'databases/ware_house/tables/a_b_c.yaml',
      'databases/ware_house/tables/tables.yaml',
    ]);
  });

  it('rewrites the different definitions of actions.graphql and preserves the text of the others', async () => {
    const before = await text('actions.graphql');
    const { written } = await exportAfter((metadata) => {
      actionOf(metadata, 'publish').definition.timeout = 30;
      actionOf(metadata, 'summarise').definition.arguments[1].default_value = 80;
      actionOf(metadata, 'summarise').comment = 'shorter';
      metadata.custom_types.input_objects
        .find((one: Json) => one.name === 'PublishInput')
        .fields.push({
          name: 'style',
          type: 'Style',
          default_value: 'ORNATE',
        });
    });
    expect(written).toEqual(['actions.graphql', 'actions.yaml']);
    expect(await text('actions.graphql')).toBe(
      before
        .replace('"""\n  what an article says,\n  in a few words\n  """', '"""shorter"""')
        .replace('"how many words"', '"""how many words"""')
        .replace('words: Int = 50', 'words: Int = 80')
        .replace('{ deep: false, tags: ["a", "b"] }', '{deep: false, tags: ["a", "b"]}')
        .replace('  at: Moment\n', '  at: Moment\n  style: Style = ORNATE\n'),
    );
    expect(await text('actions.yaml')).not.toContain('shorter');
  });

  it('removes and adds actions and types', async () => {
    await exportAfter((metadata) => {
      metadata.actions = metadata.actions.filter((one: Json) => one.name !== 'archive');
      const types = metadata.custom_types;
      types.unions = [];
      types.objects = types.objects.filter((one: Json) => one.name !== 'ArchiveResult');
      types.scalars.push({ name: 'Url', description: 'where' });
      metadata.actions.push({
        name: 'find',
        definition: { type: 'query', handler: 'http://x', output_type: '[Summary!]', arguments: [] },
      });
    });
    const written = await text('actions.graphql');
    expect(written).not.toMatch(/archive|ArchiveResult|kept beside/);
    expect(written).toContain('  ): Summary @cost(weight: 3)\n\n  find: [Summary!]\n}\n');
    expect(written).toContain('"""where"""\nscalar Url\n');
  });

  it('writes a new directory in both layouts, from which the same metadata is read', async () => {
    const whole = canonical(await readMetadata({ directory }));
    const { name, kind, configuration, tables, functions } = (whole.sources as Json)[0];
    const older = { name, kind, configuration, tables, functions };
    for (const [layout, metadata] of [
      [3, whole],
      [2, { ...whole, sources: [older] }],
    ] as const) {
      const folder = join(project.folder, `fresh-${layout}`);
      await mkdir(folder);
      await writeChanges(await fileChanges({ directory: folder }, metadata, layout));
      expect(canonical(await readMetadata({ directory: folder }))).toEqual(metadata);
      const again = await fileChanges({ directory: folder }, metadata, layout);
      expect([...again.write.keys(), ...again.remove]).toEqual([]);
      const texts = await textsIn(folder);
      expect(Object.keys(texts)).toContain(layout === 3 ? 'databases/default/tables/library_loan.yaml' : 'tables.yaml');
    }
  });

  it('rejects members of the source that a directory of version 2 has no file for', async () => {
    const metadata = canonical(await readMetadata({ directory }));
    const folder = join(project.folder, 'fresh');
    await mkdir(folder);
    await expect(fileChanges({ directory: folder }, metadata, 2)).rejects.toThrow('has no file for "native_queries"');
  });

  it('writes a project of one file to one file, YAML or JSON', async () => {
    const metadata = canonical(await readMetadata({ directory }));
    for (const name of ['metadata.yaml', 'metadata.json']) {
      const location = { directory, file: join(project.folder, name) };
      await writeChanges(await fileChanges(location, metadata, 3));
      expect(canonical(await readMetadata(location))).toEqual(metadata);
      expect((await fileChanges(location, metadata, 3)).write.size).toBe(0);
    }
  });

  it('preserves tags, anchors and the style of a file of the older layout', async () => {
    const older = await copyOfProject('version-2');
    const location = { directory: join(older.folder, 'metadata') };
    const file = join(location.directory, 'tables.yaml');
    try {
      const plain = await readFile(file, 'utf8');
      const anchored = plain
        .replace('    schema: library\n', '    schema: &shelf library\n')
        .concat('- table:\n    schema: *shelf\n    name: reader\n');
      await writeFile(file, anchored);
      const metadata: Json = structuredClone(canonical(await readMetadata(location)));
      expect(tableOf(metadata, 'reader').table.schema).toBe('library');
      tableOf(metadata, 'status').is_enum = undefined;
      tableOf(metadata, 'author').computed_fields[0].comment = 'name and year';
      const wanted = canonicalExport(metadata);
      const changes = await fileChanges(location, wanted, 3);
      await writeChanges(changes);
      expect([...changes.write.keys()]).toEqual(['tables.yaml']);
      expect(await readFile(file, 'utf8')).toBe(
        anchored
          .replace('  is_enum: true\n', '')
          .replace('        name: author_label\n', '        name: author_label\n    comment: name and year\n'),
      );
    } finally {
      await older.remove();
    }
  });

  it('writes the value of an anchor to its aliases where the object with the anchor changes or is removed', async () => {
    const older = await copyOfProject('version-2');
    const location = { directory: join(older.folder, 'metadata') };
    const rule = (name: string, permission: string) =>
      `- table:\n    schema: public\n    name: ${name}\n  select_permissions:\n  - role: user\n    permission: ${permission}\n`;
    const columns = '\n      columns:\n      - id\n      filter: {}';
    try {
      await writeFile(
        join(location.directory, 'tables.yaml'),
        rule('one', `&one${columns}`) +
          rule('two', '*one') +
          rule('three', `&three${columns}`) +
          rule('four', '*three'),
      );
      const metadata: Json = structuredClone(canonical(await readMetadata(location)));
      tableOf(metadata, 'one').select_permissions[0].permission.columns.push('name');
      metadata.sources[0].tables = metadata.sources[0].tables.filter((one: Json) => one.table.name !== 'three');
      const wanted = canonicalExport(metadata);
      await writeChanges(await fileChanges(location, wanted, 3));
      expect(canonical(await readMetadata(location))).toEqual(wanted);
    } finally {
      await older.remove();
    }
  });

  it('rejects metadata that a layout cannot contain', async () => {
    const metadata = canonical(await readMetadata({ directory }));
    const two = {
      ...metadata,
      sources: [...(metadata.sources as Json[]), { name: 'other', kind: 'postgres', tables: [] }],
    };
    const fresh = join(project.folder, 'fresh');
    await expect(fileChanges({ directory: fresh }, two, 2)).rejects.toThrow('has other besides');
    await expect(fileChanges({ directory: fresh }, { ...metadata, strange: [1] }, 3)).rejects.toThrow('"strange"');
  });
});
