/** The site of the documentation, which every node serves under `/docs`. */
import { defineConfig } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { compressAssets } from './compress-assets.ts';
import { headingSlug } from './heading-slug.ts';
import { keywords } from './keywords.ts';
import { writeSchemas } from './schemas.ts';
import { sidebar } from './sidebar.ts';

/** Files of the repository outside of docs/, which the site links to at the address of the project. */
const repository = 'https://github.com/joinery-graphql/joinery/blob/main/';

export default defineConfig({
  title: 'Joinery',
  description:
    'A GraphQL data service for PostgreSQL: actions joined to tables, and webhooks called on time, at least once.',
  lang: 'en-US',
  base: '/docs/',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  outDir: 'dist',
  cleanUrls: true,
  // The page of the npm package.
  srcExclude: ['README.md'],
  // No file from another server: the site works offline and under a strict content security policy.
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: (source, environment, markdown) => {
          const html = markdown.render(source, environment);
          const words = keywords[environment.relativePath.replace(/\.md$/, '')] ?? [];
          // Each word is found as a heading of the page.
          const headings = words.map((word, at) => `<h2>${word} <a href="#word-${at}">#</a></h2><p>${word}</p>`);
          return [html, ...headings].join('\n');
        },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  buildEnd: ({ outDir }) => {
    compressAssets(outDir);
    writeSchemas(outDir);
  },
  markdown: {
    anchor: { slugify: headingSlug },
    // The default theme of code has colors with a contrast below 4.5.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      const rules = markdown.renderer.rules;
      const { fence } = rules;
      // An indented block is rendered as a fenced one.
      rules.code_block = fence;
      // `{{NAME}}` of settings and metadata is not a template of the site.
      for (const kind of ['fence', 'code_block', 'code_inline', 'text'] as const) {
        const rule = rules[kind];
        rules[kind] = (...parts) => (rule?.(...parts) ?? '').replaceAll('{{', '&#123;&#123;');
      }
      const link = markdown.renderer.rules.link_open;
      markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const href = token?.attrGet('href') ?? '';
        if (href.startsWith('../')) token?.attrSet('href', `${repository}${href.replace(/^(\.\.\/)+/, '')}`);
        return link?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
      };
    },
  },
  vite: { plugins: [llms({ domain: '', excludeIndexPage: false })] },
});
