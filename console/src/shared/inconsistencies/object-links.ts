/** Maps JSON paths of metadata objects to pages of the console. Pure. */
import { type Step, stepsOf } from './json-path.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ObjectLink {
  readonly to: string;
  readonly label: string;
}

/** Tabs of the table page by metadata member. */
const tableTabs: Readonly<Record<string, string>> = {
  object_relationships: 'relationships',
  array_relationships: 'relationships',
  remote_relationships: 'relationships',
  select_permissions: 'permissions',
  insert_permissions: 'permissions',
  update_permissions: 'permissions',
  delete_permissions: 'permissions',
};

/** Returns the page of an object. Undefined when no page shows it. `metadata` is the export. */
export function linkOfObject(path: string, metadata: unknown): ObjectLink | undefined {
  const steps = stepsOf(path);
  const [kind] = steps;
  const name = textAt(metadata, [...steps.slice(0, 2), 'name']);
  switch (kind) {
    case 'sources':
      return name === undefined ? undefined : linkInSource(name, steps, metadata);
    case 'actions':
      return name === undefined
        ? undefined
        : { to: `/actions/of/${encodeURIComponent(name)}`, label: 'Open the action' };
    case 'custom_types':
      return { to: '/actions', label: 'Open the actions' };
    case 'remote_schemas':
      return name === undefined
        ? undefined
        : { to: `/remotes/of/${encodeURIComponent(name)}`, label: 'Open the remote schema' };
    case 'cron_triggers':
      return name === undefined
        ? undefined
        : { to: `/events/cron/edit:${encodeURIComponent(name)}`, label: 'Open the cron trigger' };
    case 'query_collections':
    case 'allowlist':
      return { to: '/operations/collections', label: 'Open the collections' };
    case 'rest_endpoints':
      return { to: '/operations/endpoints', label: 'Open the REST endpoints' };
    case 'api_limits':
      return { to: '/operations/limits', label: 'Open the limits' };
    default:
      return undefined;
  }
}

function linkInSource(source: string, steps: readonly Step[], metadata: unknown): ObjectLink {
  const own = `/data/${encodeURIComponent(source)}`;
  if (steps[2] === 'native_queries' || steps[2] === 'logical_models') {
    return { to: `${own}/native-queries`, label: 'Open the native queries' };
  }
  const trigger = steps[4] === 'event_triggers' ? textAt(metadata, [...steps.slice(0, 6), 'name']) : undefined;
  if (trigger !== undefined) {
    const path = [source, trigger].map(encodeURIComponent).join('/');
    return { to: `/events/triggers/of/${path}/definition`, label: 'Open the event trigger' };
  }
  const table = steps[2] === 'tables' ? valueAt(metadata, [...steps.slice(0, 4), 'table']) : undefined;
  if (table === undefined) return { to: own, label: 'Open the source' };
  const { schema = 'public', name } = typeof table === 'string' ? { name: table } : (table as Json);
  const tab = tableTabs[String(steps[4])] ?? 'structure';
  const to = [own, schema, name, tab].map((step, index) => (index === 0 ? step : encodeURIComponent(String(step))));
  return { to: to.join('/'), label: 'Open the table' };
}

function valueAt(value: unknown, steps: readonly Step[]): unknown {
  return steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<Step, unknown>)[step] : undefined),
    value,
  );
}

function textAt(value: unknown, steps: readonly Step[]): string | undefined {
  const found = valueAt(value, steps);
  return typeof found === 'string' ? found : undefined;
}
