/** Builds the console to files for `/console`; `npm run dev` serves it with reloads in front of a running service. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';

/** Compressed once here instead of for each request. */
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(join(dir, 'assets'))) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const file = join(dir, 'assets', name);
        const text = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(`${file}.br`, brotliCompressSync(text, { params: quality }));
      }
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), compress()],
  build: {
    // The browsers that keep the text of a JSON number (see api/exact-json.ts), and so all that is used here.
    target: ['chrome114', 'firefox135', 'safari18.4'],
    // A data URL in the page would need a wider content policy.
    assetsInlineLimit: 0,
    // Licenses of the packages in the bundle require that their notices are distributed with it.
    license: { fileName: 'THIRD_PARTY_LICENSES.md' },
    reportCompressedSize: false,
    // The editor is larger than the bundler likes; it is loaded by itself, when a page shows one.
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/v2', '/healthz', '/readyz', '/console/config.json'].map((path) => [
        path,
        // The service accepts requests of its own pages: `Host` must stay the one of the page.
        { target: service, changeOrigin: false },
      ]),
    ),
  },
});
