/** `joinery init`: writes a project that runs. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ProjectError } from '../../cli-error.ts';
import { paint, say } from '../../print.ts';
import { projectFiles } from './files.ts';

/** Resolves with the exit code. Throws ProjectError, having written nothing, where a file is in the way. */
export async function init(directory: string): Promise<number> {
  const folder = resolve(directory);
  const files = projectFiles();
  const taken = Object.keys(files).filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0) {
    throw new ProjectError(`${folder} has ${taken.join(', ')} already; nothing was written. Choose another folder`);
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
    say(`${paint('green', 'wrote')} ${join(relative('.', folder), path)}`);
  }
  const cd = relative('.', folder);
  say(`\nNow:\n${cd === '' ? '' : `  cd ${cd}\n`}  npx joinery dev`);
  return 0;
}
