#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

// Prints the version without loading any module, because scripts call this often.
if (process.argv.length === 3 && /^(-v|--version)$/.test(process.argv[2])) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
  process.exit(0);
}

// Must be set before graphql-js loads: in production mode it skips its development checks.
process.env.NODE_ENV ??= 'production';
// Caches compiled code for a faster next start. Not available on Node 20.
module.enableCompileCache?.();
const { run } = await import('../dist/main.js');

await run(process.argv);
