/** `joinery init`: creates a project. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { ownVersion } from '../../client/service-version.ts';
import { paint, printLine } from '../../print.ts';
import { agentsFile } from './agents.ts';
import { projectFiles, schemasFolder } from './files.ts';
import { dependsOnJoinery, packageJson } from './package-json.ts';

/** Resolves with the exit code. Throws CliError and writes nothing where a file exists, except for `package.json`. */
export async function init(directory: string): Promise<number> {
  const folder = resolve(directory);
  const files = projectFiles();
  const taken = Object.keys(files).filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0) {
    throw new CliError(`${folder} already has ${taken.join(', ')}; nothing was written. Choose another folder`);
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
    if (dirname(path) !== schemasFolder) printLine(`${paint('green', 'wrote')} ${join(relative('.', folder), path)}`);
  }
  printLine(`${paint('green', 'wrote')} ${join(relative('.', folder), schemasFolder)} (JSON Schemas for editors)`);
  await writeNew(join(folder, 'AGENTS.md'), agentsFile);
  const install = await writePackageJson(join(folder, 'package.json'));
  const cd = relative('.', folder);
  const steps = [...(cd === '' ? [] : [`cd ${cd}`]), install, 'npx joinery dev'];
  printLine(`\nNow:\n${steps.map((step) => `  ${step}`).join('\n')}`);
  return 0;
}

/** Writes the file unless one exists, and returns the command that installs this version. */
async function writePackageJson(path: string): Promise<string> {
  if (await writeNew(path, packageJson(ownVersion()))) return 'npm install';
  const isDependency = dependsOnJoinery(await readFile(path, 'utf8'));
  return isDependency ? 'npm install' : `npm install --save-exact joinery@${ownVersion()}`;
}

/** Writes the file unless one exists. Resolves with whether it was written. */
async function writeNew(path: string, text: string): Promise<boolean> {
  const shown = relative('.', path);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    printLine(`${paint('dim', 'kept ')} ${shown}`);
    return false;
  }
  printLine(`${paint('green', 'wrote')} ${shown}`);
  return true;
}
