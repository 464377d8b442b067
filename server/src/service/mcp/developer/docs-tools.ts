/** Tools that search and read the documentation that the service serves. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type MiniSearch from 'minisearch';
import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import { defineTool, type Tool } from '../tool.ts';
import { wordsOf } from '../words.ts';

interface Section {
  /** Page and number of the section. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

interface DocsIndex {
  readonly search: MiniSearch<Section>;
  readonly sections: ReadonlyMap<string, Section>;
}

/** Characters of a section in a result. */
const LONGEST_SECTION = 1_500;

/** Returns no tools where the documentation is not built. `directory` has the built pages as Markdown. */
export function docsTools(directory: string | undefined): readonly Tool[] {
  if (directory === undefined) return [];
  let index: Promise<DocsIndex> | undefined;
  return [
    defineTool({
      name: 'search_docs',
      scope: 'docs:read',
      description: 'Searches the documentation of Joinery by words, and returns the sections that match best.',
      annotations: { title: 'Search the documentation', readOnlyHint: true },
      args: z.strictObject({ words: z.string().min(1).max(1_000), limit: z.int().min(1).max(20).default(5) }),
      run: async ({ words, limit }) => {
        index ??= createIndex(directory).catch((error: unknown) => {
          // The documentation may be built later.
          index = undefined;
          throw error;
        });
        const { search, sections } = await index;
        const options = { prefix: true, fuzzy: 0.2, boost: { title: 4, page: 3 } };
        const found = search.search(words, options).slice(0, limit);
        return found.flatMap(({ id }) => {
          const section = sections.get(String(id));
          return section === undefined ? [] : [{ ...section, text: section.text.slice(0, LONGEST_SECTION) }];
        });
      },
    }),
    defineTool({
      name: 'read_docs',
      scope: 'docs:read',
      description: 'Returns a page of the documentation as Markdown, by the name that search_docs returns.',
      annotations: { title: 'Read the documentation', readOnlyHint: true },
      args: z.strictObject({
        page: z.string().regex(/^[\w-]{1,100}$/, 'must be the name of a page, such as scheduled-events'),
      }),
      run: async ({ page }) => {
        const text = await readFile(join(directory, `${page}.md`), 'utf8').catch(() => undefined);
        if (text !== undefined) return text;
        throw new ServiceError('not-exists', `the documentation has no page "${page}"; use search_docs`, {
          path: '$.arguments.page',
        });
      },
    }),
  ];
}

async function createIndex(directory: string): Promise<DocsIndex> {
  const { default: Search } = await import('minisearch');
  const files = await readdir(directory).catch((): string[] => []);
  const pages = files.filter((file) => file.endsWith('.md')).sort();
  const sections: Section[] = [];
  for (const file of pages) {
    sections.push(...sectionsOf(file.slice(0, -'.md'.length), await readFile(join(directory, file), 'utf8')));
  }
  if (sections.length === 0) {
    throw new ServiceError(
      'not-exists',
      'the documentation has not been built here; run "npm run build" in the project',
    );
  }
  const search = new Search<Section>({ fields: ['title', 'page', 'text'], tokenize: wordsOf });
  await search.addAllAsync(sections, { chunkSize: 50 });
  return { search, sections: new Map(sections.map((section) => [section.id, section])) };
}

/** Splits a page at its headings, except those inside of code. */
function sectionsOf(page: string, markdown: string): readonly Section[] {
  const sections: Section[] = [];
  let [title, lines, isCode]: [string, string[], boolean] = [page, [], false];
  const add = (): void => {
    const text = lines.join('\n').trim();
    if (text !== '') sections.push({ id: `${page}#${sections.length}`, page, title, text });
  };
  for (const line of markdown.replace(/^---\n[\s\S]*?\n---\n/, '').split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4}\s+(.*)$/.exec(line)?.[1];
    if (heading === undefined) {
      lines.push(line);
      continue;
    }
    add();
    [title, lines] = [heading, []];
  }
  add();
  return sections;
}
