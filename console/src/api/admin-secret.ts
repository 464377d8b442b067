/** The admin secret in session storage, which lasts as long as the tab. */

const key = 'joinery.admin-secret';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Undefined before sign-in, and where session storage is not available. */
export function storedSecret(store: Store): string | undefined {
  try {
    return store.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined removes the secret. Without session storage, a reload requires another sign-in. */
export function storeSecret(store: Store, secret: string | undefined): void {
  try {
    if (secret === undefined) store.removeItem(key);
    else store.setItem(key, secret);
  } catch {
    // Private browsing can reject this. The secret then lasts until the page is closed.
  }
}
