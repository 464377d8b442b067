/** Messages of the service, the command line tool and the console link to pages and headings of the documentation that exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { headingSlug } from '../../../docs/.vitepress/heading-slug.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pages = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'));

/** The sources with messages: those that run. */
const sources = ['server/src', 'metadata/src', 'cli/src', 'cli/bin', 'console/src'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => ({
      name: `${folder}/${name}`,
      text: withoutComments(readFileSync(`${root}${folder}/${name}`, 'utf8')),
    })),
);

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The name of a page in a message: `limits.md`, `docs/limits.md`. A path that begins with a dot is that of a module. */
const fileName = new RegExp(`(?<![\\w./-])(?:docs/)?(?:${pages.join('|').replaceAll('.', '\\.')})\\b`, 'g');
/** `/docs/limits` and `/docs/limits#depth`. */
const address = /(?<![\w@.*])\/docs\/([a-z][\w-]*)(?:#([\w-]+))?/g;
/** Files under /docs that are no pages. */
const routes = new Set(['assets', 'llms', 'llms-full', 'schemas', 'openapi']);

function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(`${root}docs/${page}.md`, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => headingSlug(heading));
}

describe('messages', () => {
  it('name no file of the documentation', () => {
    const named = sources.flatMap(({ name, text }) =>
      [...text.matchAll(fileName)].map(([found]) => `${name}: ${found}`),
    );
    expect(named.filter((one) => !one.endsWith(': README.md'))).toEqual([]);
  });

  it('link to pages and headings that exist', () => {
    const links = sources.flatMap(({ name, text }) =>
      [...text.matchAll(address)].map(([, page = '', anchor]) => ({ name, page, anchor })),
    );
    const broken = links.filter(
      ({ page, anchor }) =>
        !routes.has(page) &&
        (!pages.includes(`${page}.md`) || (anchor !== undefined && !anchorsOf(page).includes(anchor))),
    );
    expect(broken).toEqual([]);
  });

  it('link to the documentation at all', () => {
    expect(sources.filter(({ text }) => text.search(address) >= 0).length).toBeGreaterThan(5);
  });
});

describe('the pages', () => {
  it.each(pages)('%s names other pages by links', (page) => {
    const text = readFileSync(`${root}docs/${page}`, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/^ {4}.*$/gm, '');
    const bare = [...text.matchAll(/(?<![/\w`[])(?<!\]\()docs\/[a-z-]+\.md\b/g)].map(([found]) => found);
    expect(bare).toEqual([]);
  });
});
