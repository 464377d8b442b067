/** The issue forms have what GitHub requires, and the files for contributors link to files that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string; readonly value?: string };
  }[];
}

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const folder = '.github/ISSUE_TEMPLATE/';
const forms = readdirSync(new URL(folder, root)).filter((file) => file !== 'config.yml');

it.each(forms)('the issue form %s has a name, a description, and a label and an id of each field', (file) => {
  const { name, description, body } = parse(read(folder + file)) as Form;
  const fields = body.filter(({ type }) => type !== 'markdown');
  const incomplete = fields.filter(({ id, attributes }) => id === undefined || attributes.label === undefined);
  const ids = new Set(fields.map(({ id }) => id));
  expect([name !== '', description !== '', fields.length > 0, incomplete, ids.size]) //
    .toEqual([true, true, true, [], fields.length]);
});

it('the form for vulnerabilities is the same in all files', () => {
  const form = /https:\/\/github\.com\/[\w-]+\/[\w-]+\/security\/[\w/]+/g;
  const files = ['SECURITY.md', 'CODE_OF_CONDUCT.md', `${folder}bug.yml`, `${folder}config.yml`];
  const addresses = files.map((file) => [...new Set(read(file).match(form))]);
  const { bugs } = JSON.parse(read('cli/package.json')) as { bugs: { url: string } };
  const expected = [bugs.url.replace('/issues', '/security/advisories/new')];
  expect(addresses).toEqual(files.map(() => expected));
});

it.each(['SECURITY.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'README.md'])('links of %s lead to files', (file) => {
  const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
  expect(links.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
