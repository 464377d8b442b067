// Copies what the compiler leaves behind: the SQL files that are read at run time.
import { cpSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
cpSync(here('src'), here('dist'), {
  recursive: true,
  filter: (path) => path.endsWith('.sql') || statSync(path).isDirectory(),
});
