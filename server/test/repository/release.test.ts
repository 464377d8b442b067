/** What a release relies on: the part of a version in the changelog, and one version of all packages. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'joinery-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Releases version 1.2.0 of the changelog, with changesets of a level and a text. */
function changelog(text: string, ...changesets: readonly (readonly [level: string, text: string])[]): string {
  const paths = changesets.map(([level, content], index) => {
    const path = join(folder, `${index}.md`);
    writeFileSync(path, `---\n"joinery": ${level}\n---\n\n${content}\n`);
    return path;
  });
  const script = join(root, '.ci/changelog.mjs');
  return execFileSync(process.execPath, [script, '1.2.0', '2027-01-31', ...paths], {
    encoding: 'utf8',
    input: text,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n## 1.1.0 - 2026-12-01\n\n### Added\n\n- Old.\n';

describe('the changelog of a release', () => {
  it('moves the lines under "Unreleased" to the version', () => {
    expect(changelog(before)).toBe(before.replace('## Unreleased\n', '## Unreleased\n\n## 1.2.0 - 2027-01-31\n'));
  });

  it('has the text of a minor changeset under Added of this version only', () => {
    expect(changelog(before, ['minor', 'Two.'])).toContain(
      '## 1.2.0 - 2027-01-31\n\n### Added\n\n- Two.\n- One.\n\n## 1.1.0',
    );
  });

  it.each([
    ['patch', 'Fixed'],
    ['major', 'Changed'],
  ])('has the text of a %s changeset under %s, which it creates', (level, section) => {
    expect(changelog(before, [level, 'Two.'])).toContain(
      `2027-01-31\n\n### ${section}\n\n- Two.\n\n### Added\n\n- One.`,
    );
  });

  it('wraps the text of a changeset', () => {
    const lines = changelog(before, ['minor', 'word '.repeat(100)]).split('\n');
    expect(lines.filter((line) => line.startsWith('  word') && line.length <= 150).length).toBe(3);
  });

  it('rejects a changeset without a level', () => {
    expect(() => changelog(before, ['none', 'Two.'])).toThrow('changelog.mjs');
  });

  it('can be made from the changelog of this repository', () => {
    expect(changelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))).toContain('\n## 1.2.0 - 2027-01-31\n');
  });
});

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  workspaces: readonly string[];
};
const manifests = workspaces.map(
  (workspace) => JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')) as Manifest,
);

it('all workspaces have one version', () => {
  expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
});

it('workspaces depend on exactly the version of the others', () => {
  const ranges = manifests.flatMap(({ version, dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name, range]) => /^(@joinery\/|joinery$)/.test(name) && range !== version)
      .map(([name]) => name),
  );
  expect(ranges).toEqual([]);
});
