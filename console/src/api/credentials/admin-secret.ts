/**
 * The admin secret in session storage, which lasts as long as the tab, or in local storage where the user wants the device
 * to remember it.
 */

const key = 'joinery.admin-secret';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The storage of the tab and that of the device. */
export interface SecretStores {
  readonly tab: Store;
  readonly device: Store;
}

/** Undefined before sign-in, and where storage is not available. */
export function storedSecret({ tab, device }: SecretStores): string | undefined {
  try {
    return tab.getItem(key) ?? device.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Forgets a secret that was remembered before, unless this one is. Without storage, a reload requires another sign-in. */
export function storeSecret({ tab, device }: SecretStores, secret: string, isRemembered: boolean): void {
  forgetSecret({ tab, device });
  try {
    (isRemembered ? device : tab).setItem(key, secret);
  } catch {
    // Private browsing can reject this. The secret then lasts until the page is closed.
  }
}

export function forgetSecret({ tab, device }: SecretStores): void {
  for (const store of [tab, device]) {
    try {
      store.removeItem(key);
    } catch {
      // Nothing is stored where storage is not available.
    }
  }
}
