/**
 * Random edits of a file of a project, compared with what a merge must keep: the new value, the comments and the order of what stays. The
 * file has comments before elements and after members, anchors and aliases. `MODEL_SEED` and `MODEL_SCALE` select other edits and more.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { MetadataMerge } from '../../src/commands/metadata/merge.ts';
import { metadataFiles } from '../../src/project/metadata-files.ts';
import { parseYaml, yamlValue } from '../../src/project/yaml-file.ts';

const { MODEL_SEED = '1', MODEL_SCALE = '1' } = process.env;
const runs = { seed: Number(MODEL_SEED), numRuns: 150 * Number(MODEL_SCALE) };

const folder = mkdtempSync(join(tmpdir(), 'joinery-merge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = 'remote_schemas.yaml';

interface Settings {
  readonly timeout: number;
  readonly headers?: readonly string[];
}

interface Element {
  readonly name: string;
  readonly comment?: string;
  readonly settings?: Settings;
  readonly permissions?: readonly { readonly role: string; readonly limit: number }[];
}

const settings: fc.Arbitrary<Settings> = fc.record(
  { timeout: fc.constantFrom(5, 60), headers: fc.constantFrom([], ['a'], ['a', 'b']) },
  { requiredKeys: ['timeout'] },
);
const permission = fc.record({ role: fc.constantFrom('user', 'guest', 'editor'), limit: fc.nat(2) });
const element: fc.Arbitrary<Element> = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    comment: fc.constantFrom('', 'text', 'a: b # c', 'two\nlines', '*x', '- 1'),
    settings,
    permissions: fc.uniqueArray(permission, { selector: ({ role }) => role, maxLength: 3 }),
  },
  { requiredKeys: ['name'] },
);
const elements = fc.uniqueArray(element, { selector: ({ name }) => name, maxLength: 5 });

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** Writes the elements with a comment before each, and one after each text member. Equal settings are aliases of the first. */
function print(list: readonly Element[]): string {
  if (list.length === 0) return '# of the file\n\n[]\n';
  const anchors = new Map<string, string>();
  const settingsText = (value: Settings): string => {
    const key = JSON.stringify(value);
    const known = anchors.get(key);
    if (known !== undefined) return ` *${known}\n`;
    const anchor = `s${anchors.size}`;
    anchors.set(key, anchor);
    const headers = value.headers === undefined ? '' : `  headers: ${JSON.stringify(value.headers)}\n`;
    return ` &${anchor}\n${indented(`  timeout: ${value.timeout} # of ${anchor}\n${headers}`, '  ')}`;
  };
  const text = list.map(({ name, ...members }) => {
    const lines = Object.entries(members).map(([key, value]) => {
      if (key === 'settings') return `settings:${settingsText(value as Settings)}`;
      if (key === 'permissions') {
        const roles = (value as NonNullable<Element['permissions']>).map(
          ({ role, limit }) => `  # role ${role} of ${name}\n  - role: ${role}\n    limit: ${limit}\n`,
        );
        return roles.length === 0 ? 'permissions: []\n' : `permissions:\n${roles.join('')}`;
      }
      return `${key}: ${JSON.stringify(value)} # ${key} of ${name}\n`;
    });
    return `# before ${name}\n- name: ${name} # name of ${name}\n${indented(lines.join(''), '  ')}`;
  });
  return `# of the file\n\n${text.join('')}`;
}

const valueIn = (text: string): unknown => yamlValue(parseYaml(text, FILE));

/** Returns the text of the file after the merge. */
async function merge(text: string, is: unknown): Promise<string> {
  writeFileSync(join(folder, FILE), text);
  const files = metadataFiles(folder);
  const was = await files.value(FILE);
  const merged = new MetadataMerge(files, { split: false });
  merged.root(FILE, { was, is }, ['remote_schemas'], true);
  return merged.finish().write.get(FILE) ?? text;
}

const edits = fc.tuple(elements, elements);

/** Runs `check` for random edits, with the lines of the merged text. */
function forEdits(check: (before: readonly Element[], after: readonly Element[], text: string) => void): Promise<void> {
  const property = fc.asyncProperty(edits, async ([before, after]) =>
    check(before, after, await merge(print(before), after)),
  );
  return Promise.resolve(fc.assert(property, runs));
}

/** The elements that are in both, with their values before and after. */
function kept(before: readonly Element[], after: readonly Element[]): readonly (readonly [Element, Element])[] {
  return before.flatMap((was) => {
    const is = after.find(({ name }) => name === was.name);
    return is === undefined ? [] : [[was, is] as const];
  });
}

const occurrences = (text: string, comment: string): number =>
  text.split('\n').filter((line) => line.endsWith(`# ${comment}`)).length;

describe('a merged file', () => {
  test('has the new value', () =>
    forEdits((_before, after, text) => {
      expect(valueIn(text)).toEqual(after);
    }));

  test('has the comment before each element that stays', () =>
    forEdits((before, after, text) => {
      const found = kept(before, after).map(([{ name }]) => [name, occurrences(text, `before ${name}`)]);
      expect(found).toEqual(kept(before, after).map(([{ name }]) => [name, 1]));
    }));

  test('has the comment of each member that stays', () =>
    forEdits((before, after, text) => {
      for (const [was, is] of kept(before, after)) {
        expect(occurrences(text, `name of ${was.name}`)).toBe(1);
        if (was.comment !== undefined && is.comment === was.comment) {
          expect(occurrences(text, `comment of ${was.name}`)).toBe(1);
        }
      }
    }));

  test('has the members that stay in their order', () =>
    forEdits((before, after, text) => {
      const list = valueIn(text) as readonly Element[];
      for (const [was, is] of kept(before, after)) {
        const common = Object.keys(was).filter((key) => key in is);
        const written = Object.keys(list.find(({ name }) => name === was.name) ?? {});
        expect(written.filter((key) => common.includes(key))).toEqual(common);
      }
    }));

  test('is not changed by a merge with the same value', () =>
    fc.assert(
      fc.asyncProperty(elements, async (list) => {
        expect(await merge(print(list), list)).toBe(print(list));
      }),
      runs,
    ));

  test('is not changed by a second merge', () =>
    fc.assert(
      fc.asyncProperty(edits, async ([before, after]) => {
        const once = await merge(print(before), after);
        expect(await merge(once, after)).toBe(once);
      }),
      runs,
    ));
});

test('a removed member with an anchor leaves its value to the aliases', async () => {
  writeFileSync(join(folder, FILE), '- name: a\n  comment: &text written once\n- name: b\n  comment: *text\n');
  const files = metadataFiles(folder);
  const value = await files.value(FILE);
  const merged = new MetadataMerge(files, { split: false });
  merged.remove([{ name: 'comment', place: { file: join(folder, FILE), line: 2, column: 3 } }]);
  merged.root(FILE, { was: value, is: value }, ['remote_schemas']);
  expect(merged.finish().write.get(FILE)).toBe('- name: a\n- name: b\n  comment: written once\n');
});
