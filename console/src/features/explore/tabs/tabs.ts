/** The tabs of the explorer: opened, closed, changed and stored. Pure. */
import { type Draft, emptyDraft } from '../../../shared/graphql/operation-draft.ts';

export interface Tab extends Draft {
  readonly id: string;
  /** One header per line, sent as written. */
  readonly headers: string;
  /** Whether the admin secret of the sign-in is sent. */
  readonly sendsSecret: boolean;
}

export interface Tabs {
  /** At least one. */
  readonly open: readonly Tab[];
  /** The id of a tab in `open`. */
  readonly active: string;
  /** Closed tabs, the latest first. */
  readonly closed: readonly Tab[];
}

export type TabContent = Omit<Tab, 'id'>;

const emptyContent: TabContent = { ...emptyDraft, headers: '', sendsSecret: true };

const MAX_CLOSED = 10;

export const firstTabs: Tabs = { open: [{ ...emptyContent, id: '1' }], active: '1', closed: [] };

/** Opens an operation in a new tab, or in the active one while that is empty. */
export function openTab(tabs: Tabs, content: Partial<TabContent> = {}): Tabs {
  const tab: Tab = { ...emptyContent, ...content, id: nextId(tabs) };
  const active = activeTab(tabs);
  if (content.query === undefined || !isEmpty(active)) return { ...tabs, open: [...tabs.open, tab], active: tab.id };
  return { ...tabs, open: tabs.open.map((one) => (one === active ? tab : one)), active: tab.id };
}

/** The tab beside becomes active. The last tab is replaced by an empty one. */
export function closeTab(tabs: Tabs, id: string): Tabs {
  const index = tabs.open.findIndex((one) => one.id === id);
  const tab = tabs.open[index];
  if (tab === undefined) return tabs;
  const closed = isEmpty(tab) ? tabs.closed : [tab, ...tabs.closed].slice(0, MAX_CLOSED);
  const open = tabs.open.filter((one) => one.id !== id);
  const beside = open[Math.min(index, open.length - 1)];
  if (beside === undefined) {
    const empty: Tab = { ...emptyContent, id: nextId(tabs) };
    return { open: [empty], active: empty.id, closed };
  }
  return { open, active: tabs.active === id ? beside.id : tabs.active, closed };
}

/** Opens the tab that was closed last. */
export function reopenTab(tabs: Tabs): Tabs {
  const [last, ...closed] = tabs.closed;
  return last === undefined ? tabs : openTab({ ...tabs, closed }, last);
}

export function changeTab(tabs: Tabs, id: string, changes: Partial<TabContent>): Tabs {
  return { ...tabs, open: tabs.open.map((one) => (one.id === id ? { ...one, ...changes } : one)) };
}

export function activeTab({ open, active }: Tabs): Tab {
  return open.find(({ id }) => id === active) ?? open[0] ?? { ...emptyContent, id: active };
}

function isEmpty(tab: Tab): boolean {
  return (
    (tab.query.trim() === '' || tab.query === emptyDraft.query) &&
    tab.variables.trim() === '' &&
    tab.headers.trim() === ''
  );
}

/** An id that no tab has had. */
function nextId({ open, closed }: Tabs): string {
  return String(Math.max(0, ...[...open, ...closed].map(({ id }) => Number(id)).filter(Number.isInteger)) + 1);
}

const key = 'joinery.explore.tabs';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Returns the tabs of this browser tab, else those stored last, else an empty one. */
export function storedTabs(session: Store, local: Store): Tabs {
  return parsedTabs(session.getItem(key)) ?? parsedTabs(local.getItem(key)) ?? firstTabs;
}

/** Headers can be credentials: they are stored until the browser tab is closed only. */
export function storeTabs(session: Store, local: Store, tabs: Tabs): void {
  write(session, tabs);
  const withoutHeaders = (tab: Tab): Tab => ({ ...tab, headers: '' });
  write(local, { ...tabs, open: tabs.open.map(withoutHeaders), closed: tabs.closed.map(withoutHeaders) });
}

function write(store: Store, tabs: Tabs): void {
  try {
    store.setItem(key, JSON.stringify(tabs));
  } catch {
    // Storage can be unavailable or full. The tabs then last until the page is closed.
  }
}

function parsedTabs(text: string | null): Tabs | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    if (typeof stored !== 'object' || stored === null) return undefined;
    const { open, active, closed } = stored as Partial<Record<string, unknown>>;
    const tabs = tabsIn(open);
    const [first] = tabs;
    if (first === undefined) return undefined;
    return {
      open: tabs,
      active: tabs.some(({ id }) => id === active) ? String(active) : first.id,
      closed: tabsIn(closed),
    };
  } catch {
    return undefined;
  }
}

function tabsIn(value: unknown): readonly Tab[] {
  return Array.isArray(value) ? value.flatMap(tabIn) : [];
}

/** Members that are missing have the values of an empty tab. */
function tabIn(value: unknown): readonly Tab[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, sendsSecret, ...others } = value as Partial<Record<string, unknown>>;
  if (typeof id !== 'string') return [];
  const texts = Object.fromEntries(
    Object.entries(others).filter(([name, member]) => name in emptyContent && typeof member === 'string'),
  );
  return [{ ...emptyContent, ...texts, id, sendsSecret: sendsSecret !== false }];
}
