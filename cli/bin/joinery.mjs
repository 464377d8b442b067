#!/usr/bin/env node
import module from 'node:module';

// Before anything is loaded: graphql-js leaves out its checks for developers when it finds this.
process.env.NODE_ENV ??= 'production';
// Newer Nodes keep what they have compiled, so that the next start is sooner; Node 20 cannot.
module.enableCompileCache?.();
const { run } = await import('../dist/main.js');

await run(process.argv);
