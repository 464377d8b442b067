/** The current location in the console, in the address bar. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { changeSearch } from './path-pattern.ts';

/** Base path of the console. */
const base = '/console';

/** Event for navigation by code. The browser itself reports only back and forward. */
const moved = 'joinery:moved';

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
  window.addEventListener('popstate', notify);
  window.addEventListener(moved, notify);
  return () => {
    window.removeEventListener('popstate', notify);
    window.removeEventListener(moved, notify);
  };
}

function currentAddress(): string {
  const path = window.location.pathname.slice(base.length).replace(/\/+$/, '');
  return `${path === '' ? '/' : path}${window.location.search}`;
}

/** Navigates to a path without the base, optionally with a query string. `replace` adds no entry to the history. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = addressOf(to);
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
