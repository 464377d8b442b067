/** The current location in the console, in the address bar. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { changeSearch } from './path-pattern.ts';

/** Base path of the console. */
const base = '/console';

/** Event for every navigation. */
const moved = 'joinery:moved';

/** Decides whether the current page is left. `leave` continues the navigation. */
export type LeaveGuard = (leave: () => void) => void;

let guard: { readonly decide: LeaveGuard; readonly here: () => string } | undefined;

export interface Location {
  /** Without the base path: `/events/one-off/pending`. */
  readonly path: string;
  readonly search: URLSearchParams;
}

export function useLocation(): Location {
  const address = useSyncExternalStore(subscribe, currentAddress);
  return useMemo(() => {
    const [path = '/', search = ''] = address.split('?');
    return { path, search: new URLSearchParams(search) };
  }, [address]);
}

function subscribe(notify: () => void): () => void {
  window.addEventListener(moved, notify);
  return () => window.removeEventListener(moved, notify);
}

// One listener, so that a guard decides before any page changes. Tests have no window.
if (typeof window !== 'undefined') window.addEventListener('popstate', onBack);

/** Follows the back and forward buttons, unless a guard prevents it. */
function onBack(): void {
  if (guard === undefined || window.location.pathname === new URL(guard.here()).pathname) {
    window.dispatchEvent(new Event(moved));
    return;
  }
  const to = currentAddress();
  window.history.pushState(null, '', guard.here());
  guard.decide(() => navigate(to, { force: true }));
}

function currentAddress(): string {
  const path = window.location.pathname.slice(base.length).replace(/\/+$/, '');
  return `${path === '' ? '/' : path}${window.location.search}`;
}

/** Calls `decide` before another path is opened, until the returned function is called. The browser itself confirms leaving the console. */
export function guardLeaving(decide: LeaveGuard): () => void {
  let here = window.location.href;
  const remember = (): void => {
    here = window.location.href;
  };
  const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
  guard = { decide, here: () => here };
  window.addEventListener(moved, remember);
  window.addEventListener('beforeunload', onUnload);
  return () => {
    guard = undefined;
    window.removeEventListener(moved, remember);
    window.removeEventListener('beforeunload', onUnload);
  };
}

interface NavigateOptions {
  /** Adds no entry to the history. */
  readonly replace?: boolean;
  /** Leaves a guarded page too. */
  readonly force?: boolean;
}

/** Navigates to a path without the base, optionally with a query string. */
export function navigate(to: string, options: NavigateOptions = {}): void {
  const { replace = false, force = false } = options;
  const url = addressOf(to);
  const staysHere = new URL(url, window.location.href).pathname === window.location.pathname;
  if (guard !== undefined && !force && !staysHere) {
    guard.decide(() => navigate(to, { ...options, force: true }));
    return;
  }
  if (replace) window.history.replaceState(null, '', url);
  else window.history.pushState(null, '', url);
  window.dispatchEvent(new Event(moved));
}

/** Changes parameters of the query string without an entry in the history. Undefined removes a parameter. */
export function updateSearch(changes: Readonly<Record<string, string | undefined>>): void {
  const path = currentAddress().split('?')[0] ?? '/';
  navigate(`${path}${changeSearch(window.location.search, changes)}`, { replace: true });
}

function addressOf(to: string): string {
  return to === '/' ? base : `${base}${to}`;
}

/** Props of a link within the console. Modifier keys open a new tab as usual. */
export function linkTo(to: string): { href: string; onClick: (event: MouseEvent) => void } {
  return {
    href: addressOf(to),
    onClick: (event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigate(to);
    },
  };
}
