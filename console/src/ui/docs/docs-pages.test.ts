import { expect, test } from 'vitest';
import { anchorOf, docsOf, placeOfLink } from './docs-pages.ts';

const [routes = ''] = Object.values(
  import.meta.glob<string>('../../app/pages.tsx', { query: '?raw', import: 'default', eager: true }),
);
const docs = import.meta.glob<string>('../../../../docs/*.md', { query: '?raw', import: 'default', eager: true });

test('each page of the console has its part of the documentation', () => {
  expect(docsOf('/events/cron/all')).toEqual({ page: 'cron-triggers' });
  expect(docsOf('/data/default/public/customer/permissions')).toEqual({ page: 'permissions' });
  expect(docsOf('/data/default/public/customer/rows')).toEqual({ page: 'console', section: 'rows' });
  expect(docsOf('/nowhere')).toBeUndefined();
});

test('each page of the console has a page of the documentation and, where it has a section, a heading', () => {
  const paths = [...routes.matchAll(/pattern: '([^']+)'/g)].map(([, pattern = '']) => pattern.replaceAll(/:\w+/g, 'x'));
  const missing = paths.filter((path) => {
    const place = docsOf(path);
    if (place === undefined) return true;
    const anchors = [...(docs[`../../../../docs/${place.page}.md`] ?? '').matchAll(/^#+ (.+)$/gm)].map(
      ([, heading = '']) => anchorOf(heading),
    );
    return place.section !== undefined && !anchors.includes(place.section);
  });
  expect([paths.length > 20, missing]).toEqual([true, []]);
});

test('a heading has the anchor that links to it use', () => {
  expect(anchorOf('How it is served')).toBe('how-it-is-served');
  expect(anchorOf('5. Move the events')).toBe('5-move-the-events');
});

test('links between pages of the documentation stay in it', () => {
  expect(placeOfLink('limits.md', 'console')).toEqual({ page: 'limits' });
  expect(placeOfLink('configuration.md#web-pages', 'console')).toEqual({ page: 'configuration', section: 'web-pages' });
  expect(placeOfLink('#settings', 'console')).toEqual({ page: 'console', section: 'settings' });
  expect(placeOfLink('https://example.com', 'console')).toBeUndefined();
  expect(placeOfLink('../CONTRIBUTING.md', 'console')).toBeUndefined();
});
