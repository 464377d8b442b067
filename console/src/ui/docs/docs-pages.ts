/** The page of the documentation for each page of the console. Pure. */
import { matchPath } from '../../router/path-pattern.ts';

export interface DocsPlace {
  /** The name of a file in `docs/`, without `.md`. */
  readonly page: string;
  /** The anchor of a heading. */
  readonly section?: string;
}

/** The first pattern that matches the path decides. */
const places: readonly (readonly [pattern: string, place: DocsPlace])[] = [
  ['/', { page: 'getting-started' }],
  ['/explore', { page: 'explain' }],
  ['/sql', { page: 'console', section: 'sql' }],
  ['/data', { page: 'sources' }],
  ['/data/:source', { page: 'console', section: 'tables' }],
  ['/data/:source/settings', { page: 'sources' }],
  ['/data/:source/diagram', { page: 'console', section: 'diagram' }],
  ['/data/:source/functions', { page: 'console', section: 'functions' }],
  ['/data/:source/enum-types', { page: 'console', section: 'enum-types' }],
  ['/data/:source/native-queries', { page: 'native-queries' }],
  ['/data/:source/new-table', { page: 'console', section: 'tables' }],
  ['/data/:source/:schema/:table/permissions', { page: 'permissions' }],
  ['/data/:source/:schema/:table/triggers', { page: 'event-triggers' }],
  ['/data/:source/:schema/:table/structure', { page: 'column-values' }],
  ['/data/:source/:schema/:table/relationships', { page: 'console', section: 'relationships' }],
  ['/data/:source/:schema/:table/:tab', { page: 'console', section: 'rows' }],
  ['/actions', { page: 'action-calls' }],
  ['/actions/new', { page: 'action-calls' }],
  ['/actions/of/:name', { page: 'action-joins' }],
  ['/remotes', { page: 'remote-schemas' }],
  ['/remotes/new', { page: 'remote-schemas' }],
  ['/remotes/of/:name', { page: 'remote-schemas' }],
  ['/events/activity', { page: 'scheduled-events' }],
  ['/events/one-off/:view', { page: 'scheduled-events' }],
  ['/events/cron/:view', { page: 'cron-triggers' }],
  ['/events/triggers', { page: 'event-triggers' }],
  ['/events/triggers/new', { page: 'event-triggers' }],
  ['/events/triggers/edit/:source/:name', { page: 'event-triggers' }],
  ['/events/triggers/of/:source/:name/:tab', { page: 'event-triggers' }],
  ['/events/delivery', { page: 'event-targets' }],
  ['/operations/limits', { page: 'limits' }],
  ['/operations/:view', { page: 'rest-endpoints' }],
  ['/audit', { page: 'console', section: 'audit-log' }],
  ['/project', { page: 'console', section: 'changes-as-files' }],
  ['/settings/nodes', { page: 'production' }],
  ['/settings/configuration', { page: 'configuration' }],
  ['/settings', { page: 'console', section: 'settings' }],
  ['/settings/:view', { page: 'console', section: 'settings' }],
];

/** The files that the patterns name. */
export const docsPages: readonly string[] = [...new Set(places.map(([, { page }]) => page))];

/** Undefined for a path without documentation. */
export function docsOf(path: string): DocsPlace | undefined {
  return places.find(([pattern]) => matchPath(pattern, path) !== undefined)?.[1];
}

/** Returns the anchor of a heading: `## How it is served` has `how-it-is-served`. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Reads a link of the documentation to another of its pages. Undefined for links to elsewhere. */
export function placeOfLink(href: string, current: string): DocsPlace | undefined {
  const [, page, section] = /^([\w-]+\.md)?(?:#(.+))?$/.exec(href) ?? [];
  if (page === undefined && section === undefined) return undefined;
  return { page: page?.replace(/\.md$/, '') ?? current, ...(section !== undefined && { section }) };
}
