/** The lockfile: `npm ci` installs exactly its entries, and reports no missing one. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, Entry>>;

it.each(['', 'bench/', 'compatibility/', 'mutation/'])(
  '%spackage-lock.json has each dependency of its packages',
  (folder) => {
    const text = readFileSync(new URL(`../../../${folder}package-lock.json`, import.meta.url), 'utf8');
    const { packages } = JSON.parse(text) as { readonly packages: Packages };
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      namesOf(path, entry)
        .filter((name) => !foldersOf(path).some((at) => `${at}node_modules/${name}` in packages))
        .map((name) => `${path} needs ${name}`),
    );
    expect([Object.keys(packages).length > 10, missing]).toEqual([true, []]);
  },
);

/** Development dependencies are installed for the workspaces only; what is linked outside of the folder is in another lockfile. */
function namesOf(path: string, { link = false, dependencies = {}, devDependencies = {} }: Entry): readonly string[] {
  if (link || path.startsWith('../')) return [];
  return [...Object.keys(dependencies), ...(path.includes('node_modules/') ? [] : Object.keys(devDependencies))];
}

/** Returns the folders in which Node looks for the dependencies of a package, each with a slash at its end. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  return [...above.filter((at) => at !== '').map((at) => `${at}/`), ''];
}
