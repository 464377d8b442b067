/** ARCHITECTURE.md and CONTRIBUTING.md name files and folders that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}ARCHITECTURE.md`, 'utf8');

/** Paths in backticks: with a file extension, or with a slash at the end. */
const paths = [...page.matchAll(/`([\w./-]+(?:\.(?:ts|json)|\/))[`:]/g)].map((match) => match[1] ?? '');

/** Sub-folders and entry files are listed in a row of their floor without its name. */
function candidates(path: string): readonly string[] {
  const row = page.split('\n').find((line) => line.startsWith('| `') && line.includes(`\`${path}`));
  const floor = row === undefined ? '' : (/^\| `([\w-]+\/)`/.exec(row)?.[1] ?? '');
  return [path, `server/src/${path}`, `console/src/${path}`, `server/src/${floor}${path}`];
}

test('ARCHITECTURE.md contains more than 60 paths', () => {
  expect(paths.length).toBeGreaterThan(60);
});

test.each([...new Set(paths)])('%s of ARCHITECTURE.md exists', (path) => {
  expect(candidates(path).some((candidate) => existsSync(root + candidate))).toBe(true);
});

const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');
const examples = [...contributing.matchAll(/`((?:server|metadata|console|cli|docs)\/[\w./-]+\.\w+)`/g)].map(
  (match) => match[1] ?? '',
);

test.each([...new Set(examples)])('%s of CONTRIBUTING.md exists', (path) => {
  expect(existsSync(root + path)).toBe(true);
});
