/** The mark that lets style elements made at run time pass the content policy of the page. */

/**
 * The nonce that the service wrote into the page. It is also put where the library that keeps the page from scrolling
 * behind a dialog looks for it.
 */
export function styleNonce(page: Document): string {
  const nonce = page.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
