/** The built site, as files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the built site, with a slash at the end. */
export const site = fileURLToPath(new URL('../dist/', import.meta.url));

/** Returns the names of the pages, such as `limits` and `reference/index`. Throws if the site is not built. */
export function builtPages(): readonly string[] {
  if (!existsSync(site)) throw new Error('the site is not built: run "npm run docs:build"');
  return readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .map((name) => name.slice(0, -'.html'.length))
    .sort();
}

/** Returns the HTML of a page. */
export function readBuiltPage(page: string): string {
  return readFileSync(`${site}${page}.html`, 'utf8');
}
