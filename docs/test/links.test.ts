/** The links of the pages and of the repository's documents lead to pages and headings that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { headingSlug } from '../.vitepress/heading-slug.ts';
import { sidebar } from '../.vitepress/sidebar.ts';
import { builtPages, readBuiltPage, site } from './site.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = builtPages();
const ids = new Map(pages.map((page) => [page, idsOf(readBuiltPage(page))]));

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id));
}

/** Returns a problem for each link of the page whose target does not exist. */
function brokenLinks(page: string): readonly string[] {
  const hrefs = [...readBuiltPage(page).matchAll(/<a\s[^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
  return hrefs.filter((href) => !isExternal(href) && !exists(page, href));
}

function isExternal(href: string): boolean {
  return /^[a-z]+:/.test(href);
}

function exists(page: string, href: string): boolean {
  const { pathname, hash } = new URL(href, `http://site/docs/${page}`);
  if (!pathname.startsWith('/docs/')) return false;
  const path = pathname.slice('/docs/'.length);
  if (/\.\w+$/.test(path)) return existsSync(site + path);
  const anchors = ids.get(path.replace(/(^|\/)$/, '$1index'));
  return anchors !== undefined && (hash === '' || anchors.has(decodeURIComponent(hash.slice(1))));
}

describe('the pages of the site', () => {
  it('are more than 40', () => {
    expect(pages.length).toBeGreaterThan(40);
  });

  it.each(pages)('%s links to pages and headings that exist', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('are all in the sidebar', () => {
    const listed = sidebar.flatMap(({ items = [] }) => items.map(({ link = '' }) => link.slice(1) || 'index'));
    expect(pages.filter((page) => !listed.includes(page.replace(/\/index$/, '/')))).toEqual([]);
  });

  it('have a Markdown file each', () => {
    expect(pages.filter((page) => !existsSync(`${site}${page}.md`))).toEqual([]);
  });
});

/** Markdown documents outside of the site. */
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['bench', 'deploy', 'examples', 'cli', 'server', 'console', 'metadata'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

function headingsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    headingSlug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  );
}

it.each(documents)('%s links to files and headings that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const hrefs = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href).filter((href) => !isExternal(href));
  const broken = hrefs.filter((href) => {
    const [path = '', anchor] = href.split('#');
    const file = path === '' ? join(root, document) : normalize(join(root, dirname(document), path));
    return !existsSync(file) || (anchor !== undefined && !headingsOf(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});
