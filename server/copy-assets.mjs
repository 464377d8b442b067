// Copies what the compiler leaves behind: the SQL files that are read at run time.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
cpSync(here('src'), here('dist'), {
  recursive: true,
  filter: (path) => !/\.[^/]*$/.test(path) || path.endsWith('.sql'),
});
