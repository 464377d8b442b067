/** The current location in the console, in the address bar. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { changeSearch } from './path-pattern.ts';

/** Base path of the console. */
const base = '/console';

/** Event for every navigation. */
const moved = 'joinery:moved';

export interface LeaveGuard {
  /** Whether a navigation would close something. `isSamePage`: to another query string of the same path. */
  readonly isClosing: (isSamePage: boolean) => boolean;
  /** Decides whether the current page is left. `leave` continues the navigation. */
  readonly decide: (leave: () => void) => void;
}

let guard: LeaveGuard | undefined;

/** The address of the page before the back or forward button. */
let here = typeof window === 'undefined' ? '' : window.location.href;

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
  const isSamePage = window.location.pathname === new URL(here).pathname;
  if (guard?.isClosing(isSamePage) !== true) {
    announce();
    return;
  }
  const to = currentAddress();
  window.history.pushState(null, '', here);
  guard.decide(() => navigate(to, { force: true }));
}

function currentAddress(): string {
  const path = window.location.pathname.slice(base.length).replace(/\/+$/, '');
  return `${path === '' ? '/' : path}${window.location.search}`;
}

function announce(): void {
  here = window.location.href;
  window.dispatchEvent(new Event(moved));
}

/**
 * Confirms that another page is opened, until the returned function is called. The browser itself confirms reloading
 * and leaving the console.
 */
export function guardLeaving(leaveGuard: LeaveGuard): () => void {
  const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
  guard = leaveGuard;
  window.addEventListener('beforeunload', onUnload);
  return () => {
    guard = undefined;
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
  if (!force && !staysHere && guard?.isClosing(false) === true) {
    guard.decide(() => navigate(to, { ...options, force: true }));
    return;
  }
  if (replace) window.history.replaceState(null, '', url);
  else window.history.pushState(null, '', url);
  announce();
}

/** Changes parameters of the query string without an entry in the history. Undefined removes a parameter. */
export function updateSearch(changes: Readonly<Record<string, string | undefined>>): void {
  navigate(pathWith(changes), { replace: true });
}

/** Returns the current path with changed parameters of the query string, for links. Undefined removes a parameter. */
export function pathWith(changes: Readonly<Record<string, string | undefined>>): string {
  return `${currentAddress().split('?')[0] ?? '/'}${changeSearch(window.location.search, changes)}`;
}

function addressOf(to: string): string {
  return to === '/' ? base : `${base}${to}`;
}

/** Opens a path in a new tab of the browser. */
export function openInNewTab(to: string): void {
  window.open(addressOf(to), '_blank', 'noopener');
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
