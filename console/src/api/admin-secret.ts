/** The admin secret, kept for the tab and no longer. */

const key = 'joinery.admin-secret';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Undefined when nobody has signed in, or where the browser keeps nothing. */
export function storedSecret(store: Store): string | undefined {
  try {
    return store.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. A browser that keeps nothing asks again after a reload. */
export function storeSecret(store: Store, secret: string | undefined): void {
  try {
    if (secret === undefined) store.removeItem(key);
    else store.setItem(key, secret);
  } catch {
    // Private modes may refuse; the secret then lives as long as the page.
  }
}
