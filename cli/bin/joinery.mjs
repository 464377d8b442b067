#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

// Answered without loading anything: scripts ask for it often.
if (process.argv.length === 3 && /^(-v|--version)$/.test(process.argv[2])) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
  process.exit(0);
}

// Before anything is loaded: graphql-js leaves out its checks for developers when it finds this.
process.env.NODE_ENV ??= 'production';
// Newer Nodes keep what they have compiled, so that the next start is sooner; Node 20 cannot.
module.enableCompileCache?.();
const { run } = await import('../dist/main.js');

await run(process.argv);
