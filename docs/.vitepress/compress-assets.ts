/** Compresses the built files once, in place of once for each request. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Writes `.br` and `.gz` beside each text file of `assets/`. */
export function compressAssets(directory: string): void {
  const assets = join(directory, 'assets');
  for (const name of readdirSync(assets, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const text = readFileSync(join(assets, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(text, { params }));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(text, { level: 9 }));
  }
}
