// Runs a TypeScript module in a process of its own, with the aliases that the tests have: node run-typescript.mjs x.ts
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
await runnerImport(process.argv[2], {
  root,
  configFile: false,
  logLevel: 'error',
  resolve: { alias: [{ find: /^@joinery\/metadata\/(.*)$/, replacement: `${root}metadata/src/$1.ts` }] },
});
