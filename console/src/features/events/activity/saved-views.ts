/** Searches with a name: those of the console and those that the user has saved in the browser. */
import { isJsonObject } from '../../../api/json.ts';
import { type ActivitySearch, activityPath } from './search-state.ts';

export interface View {
  readonly name: string;
  /** The path with its query string. */
  readonly path: string;
}

function view(name: string, search: Partial<ActivitySearch>): View {
  return { name, path: activityPath(search) };
}

export const usualViews: readonly View[] = [
  view('All', {}),
  view('Failed', { statuses: ['error', 'dead'] }),
  view('In flight', { statuses: ['locked'], time: 'any' }),
  view('Upcoming', { statuses: ['scheduled', 'locked'], time: 'any', order: 'asc' }),
];

const key = 'joinery.event-views';

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** Returns the saved views, by name. None where the stored text is invalid. */
export function savedViews(storage: Storage): readonly View[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(readView) : [];
  } catch {
    return [];
  }
}

function readView(stored: unknown): readonly View[] {
  if (!isJsonObject(stored)) return [];
  const { name, path } = stored;
  const isView = typeof name === 'string' && typeof path === 'string' && path.startsWith('/events/activity');
  return isView ? [{ name, path }] : [];
}

/** Saves a view in place of that with the same name, and returns all. */
export function saveView(storage: Storage, saved: View): readonly View[] {
  const others = savedViews(storage).filter(({ name }) => name !== saved.name);
  return write(
    storage,
    [...others, saved].toSorted((one, other) => one.name.localeCompare(other.name)),
  );
}

export function removeView(storage: Storage, removed: string): readonly View[] {
  return write(
    storage,
    savedViews(storage).filter(({ name }) => name !== removed),
  );
}

/** A full or forbidden storage leaves the views of this page. */
function write(storage: Storage, views: readonly View[]): readonly View[] {
  try {
    storage.setItem(key, JSON.stringify(views));
  } catch {
    return views;
  }
  return views;
}
