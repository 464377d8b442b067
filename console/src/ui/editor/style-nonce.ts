/** The nonce that the content security policy requires of style elements created at run time. */

/** Returns the nonce that the service put into the page. Also sets it where the scroll lock library reads it. */
export function styleNonce(page: Document): string {
  const nonce = page.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
