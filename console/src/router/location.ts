/** Where in the console the user is, kept in the address bar. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { changeSearch } from './path-pattern.ts';

/** What stands before every path of the console. */
const base = '/console';

/** Tells the hook of this file that the address has changed; the browser itself only tells of back and forward. */
const moved = 'joinery:moved';

export interface Location {
  /** Without the base: `/events/one-off/pending`. */
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

/** `to` is a path without the base, and may have a query string. `replace` leaves no entry in the history. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = addressOf(to);
  if (replace) window.history.replaceState(null, '', url);
  else window.history.pushState(null, '', url);
  window.dispatchEvent(new Event(moved));
}

/** Changes members of the query string, leaving no entry in the history; undefined takes one away. */
export function updateSearch(changes: Readonly<Record<string, string | undefined>>): void {
  const path = currentAddress().split('?')[0] ?? '/';
  navigate(`${path}${changeSearch(window.location.search, changes)}`, { replace: true });
}

function addressOf(to: string): string {
  return to === '/' ? base : `${base}${to}`;
}

/** For an anchor that moves within the console, and opens a new tab where the user asks the browser for one. */
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
