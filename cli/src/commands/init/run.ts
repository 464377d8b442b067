/** `joinery init`: creates a project. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { paint, printLine } from '../../print.ts';
import { projectFiles } from './files.ts';

/** Resolves with the exit code. Throws CliError and writes nothing where a file exists. */
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
    printLine(`${paint('green', 'wrote')} ${join(relative('.', folder), path)}`);
  }
  const cd = relative('.', folder);
  printLine(`\nNow:\n${cd === '' ? '' : `  cd ${cd}\n`}  npx joinery dev`);
  return 0;
}
