/** What the command palette finds: pages and the objects of the metadata. Pure. */
import type { ExportedMetadata, ExportedSource } from '@joinery/metadata/document/exported-metadata';
import {
  sourcePath,
  type TableName,
  type TableTab,
  tableLabel,
  tablePath,
  tableTabs,
} from '../../shared/sources/table-paths.ts';

export interface PaletteEntry {
  /** Identifies the entry among the recent ones. */
  readonly id: string;
  /** What the entry is, such as `Table`. */
  readonly kind: string;
  readonly label: string;
  /** Where it is, or other words that find it. */
  readonly detail?: string;
  /** The tab of a table that the entry opens. Undefined for the first one. */
  readonly tab?: string;
  /** The path of its page, or what it does. */
  readonly target: string | (() => void);
}

export function pageEntries(): readonly PaletteEntry[] {
  return pages.map(([label, to, detail]) => ({
    id: `page ${to}`,
    kind: 'Page',
    label,
    ...(detail !== undefined && { detail }),
    target: to,
  }));
}

type Page = readonly [label: string, to: string, detail?: string];

const pages: readonly Page[] = [
  ['Overview', '/'],
  ['Tables', '/data', 'sources, databases'],
  ['SQL', '/sql'],
  ['Explore', '/explore', 'GraphQL queries'],
  ['Actions', '/actions'],
  ['Remote schemas', '/remotes'],
  ['Events', '/events/activity', 'one-off, cron, event triggers, calls, attempts'],
  ['Cron triggers', '/events/cron/all'],
  ['Event triggers', '/events/triggers'],
  ['Delivery', '/events/delivery', 'destinations, limits'],
  ['Operations: collections', '/operations/collections', 'allow list'],
  ['Operations: REST endpoints', '/operations/endpoints'],
  ['Operations: limits', '/operations/limits', 'depth, rate'],
  ['Audit log', '/audit', 'authors, changes'],
  ['Settings: metadata', '/settings/metadata', 'export, import, inconsistent objects'],
  ['Settings: nodes', '/settings/nodes'],
  ['Settings: configuration', '/settings/configuration', 'environment'],
];

/** Commands that open a form. `source` is the only source, or that of the page. */
export function commandEntries(source: string | undefined): readonly PaletteEntry[] {
  const commands: readonly Page[] = [
    ['Create an action', '/actions/new', 'new'],
    ['Add a remote schema', '/remotes/new', 'new'],
    ['Schedule an event', '/events/one-off/schedule', 'new one-off event'],
    ['Create a cron trigger', '/events/cron/new', 'new'],
    ['Create an event trigger', '/events/triggers/new', 'new'],
    ...(source === undefined
      ? []
      : ([
          ['Create a table', `${sourcePath(source)}/new-table`, `new, ${source}`],
          ['Open the diagram', `${sourcePath(source)}/diagram`, source],
        ] as const)),
  ];
  return commands.map(([label, to, detail = '']) => ({
    id: `command ${label}`,
    kind: 'Command',
    label,
    detail,
    target: to,
  }));
}

const tabLabels: Readonly<Record<TableTab, string>> = {
  rows: 'rows',
  structure: 'structure',
  relationships: 'relationships',
  permissions: 'permissions',
  triggers: 'event triggers',
};

/** The objects of the metadata, by kind. */
export function metadataEntries(metadata: ExportedMetadata): readonly PaletteEntry[] {
  const {
    sources,
    actions = [],
    remote_schemas = [],
    cron_triggers = [],
    query_collections = [],
    rest_endpoints = [],
  } = metadata;
  return [
    ...sources.flatMap((source) => sourceEntries(source, sources.length > 1)),
    ...actions.map(({ name }) => named('Action', name, `/actions/of/${encodeURIComponent(name)}`)),
    ...remote_schemas.map(({ name }) => named('Remote schema', name, `/remotes/of/${encodeURIComponent(name)}`)),
    ...cronEntries(cron_triggers.map(({ name }) => name)),
    ...query_collections.flatMap(({ name, definition }) => [
      named('Collection', name, '/operations/collections'),
      ...definition.queries.map((query) => named('Operation', query.name, '/operations/collections', name)),
    ]),
    ...rest_endpoints.map(({ name, url }) => named('REST endpoint', name, '/operations/endpoints', url)),
  ];
}

/** Cron triggers outside of the metadata are listed by a command. */
export function cronEntries(names: readonly string[]): readonly PaletteEntry[] {
  return names.map((name) => named('Cron trigger', name, `/events/cron/edit:${encodeURIComponent(name)}`));
}

export function settingEntries(names: readonly string[]): readonly PaletteEntry[] {
  return names.map((name) => named('Setting', name, `/settings/configuration?search=${encodeURIComponent(name)}`));
}

function sourceEntries(source: ExportedSource, isOneOfMany: boolean): readonly PaletteEntry[] {
  const { name, tables = [], functions = [], native_queries = [], logical_models = [] } = source;
  const where = isOneOfMany ? name : undefined;
  return [
    ...(isOneOfMany ? [named('Source', name, sourcePath(name))] : []),
    named('Source settings', name, `${sourcePath(name)}/settings`),
    named('Page', 'Functions', `${sourcePath(name)}/functions`, where),
    named('Page', 'Enum types', `${sourcePath(name)}/enum-types`, where),
    named('Page', 'Native queries', `${sourcePath(name)}/native-queries`, where),
    named('Page', 'Diagram', `${sourcePath(name)}/diagram`, where),
    ...tables.flatMap(({ table, event_triggers = [] }) => [
      ...tableTabs.map((tab) => ({
        id: `table ${tablePath(name, table, tab)}`,
        kind: 'Table',
        ...(tab === 'rows'
          ? { label: tableLabel(table) }
          : { label: `${tableLabel(table)}: ${tabLabels[tab]}`, tab: tabLabels[tab] }),
        ...(where !== undefined && { detail: where }),
        target: tablePath(name, table, tab),
      })),
      ...event_triggers.map((trigger) =>
        named(
          'Event trigger',
          trigger.name,
          `/events/triggers/of/${encodeURIComponent(name)}/${encodeURIComponent(trigger.name)}/all`,
          tableLabel(table),
        ),
      ),
    ]),
    ...functions.map((one) => named('Function', tableLabel(one.function), functionPath(name, one.function), where)),
    ...native_queries.map((one) =>
      named('Native query', one.root_field_name, `${sourcePath(name)}/native-queries`, where),
    ),
    ...logical_models.map((one) => named('Logical model', one.name, `${sourcePath(name)}/native-queries`, where)),
  ];
}

function functionPath(source: string, { name }: TableName): string {
  return `${sourcePath(source)}/functions?search=${encodeURIComponent(name)}`;
}

function named(kind: string, label: string, to: string, detail?: string): PaletteEntry {
  return { id: `${kind} ${to} ${label}`, kind, label, target: to, ...(detail !== undefined && { detail }) };
}
