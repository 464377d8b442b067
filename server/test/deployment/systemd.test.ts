/** deploy/joinery.service is valid for systemd, and reads secrets that docs/systemd.md creates. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { options, variableName } from '../../src/config/options.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const unit = readFileSync(`${root}deploy/joinery.service`, 'utf8');
const page = readFileSync(`${root}docs/systemd.md`, 'utf8');
const credentials = [...unit.matchAll(/^LoadCredential=([\w-]+):(\S+)$/gm)].map(([, name = '', path = '']) => ({
  name,
  path,
}));

describe('deploy/joinery.service', () => {
  it('reads each credential by a secret setting', () => {
    const secrets = Object.values(options).flatMap((option) =>
      'secret' in option ? [`${variableName(option)}_FILE`] : [],
    );
    const read = [...unit.matchAll(/^Environment=(JOINERY_\w+_FILE)=%d\/([\w-]+)$/gm)];
    expect(read.map(([, , name]) => name)).toEqual(credentials.map(({ name }) => name));
    expect(read.filter(([, name = '']) => !secrets.includes(name))).toEqual([]);
  });

  it('loads credentials from the files that docs/systemd.md creates', () => {
    const created = [...page.matchAll(/tee (\/etc\/joinery\/secrets\/[\w-]+)/g)].map(([, path]) => path);
    expect(created).toEqual(credentials.map(({ path }) => path));
  });

  it('starts the program that docs/systemd.md installs', () => {
    const { bin } = JSON.parse(readFileSync(`${root}cli/package.json`, 'utf8')) as {
      readonly bin: { joinery: string };
    };
    const program = `/opt/joinery/node_modules/joinery/${bin.joinery.replace(/^\.\//, '')}`;
    expect(unit).toContain(`ExecStart=/usr/bin/node ${program} serve\n`);
  });

  it('has the version of the packages in docs/systemd.md', () => {
    const { version } = JSON.parse(readFileSync(`${root}cli/package.json`, 'utf8')) as { readonly version: string };
    expect(page).toContain(` joinery@${version}\n`);
  });
});

/** Present where systemd is installed. */
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.runIf(hasAnalyze)('systemd-analyze', () => {
  it('finds nothing wrong in the unit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'joinery-unit-'));
    const path = join(folder, 'joinery.service');
    // It also checks that the program exists.
    writeFileSync(path, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it('rates the exposure below 2 of 10', () => {
    const args = ['security', '--offline=yes', '--threshold=20', `${root}deploy/joinery.service`];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});
