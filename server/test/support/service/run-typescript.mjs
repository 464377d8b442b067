// Runs a TypeScript module with the import aliases of the tests: node run-typescript.mjs module.ts
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
await runnerImport(process.argv[2], {
  root,
  configFile: false,
  logLevel: 'error',
  resolve: { alias: [{ find: /^@joinery\/metadata\/(.*)$/, replacement: `${root}metadata/src/$1.ts` }] },
});
