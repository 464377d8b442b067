#!/usr/bin/env node
// Before anything is loaded: graphql-js leaves out its checks for developers when it finds this.
process.env.NODE_ENV ??= 'production';
const { run } = await import('../dist/main.js');

await run(process.argv);
