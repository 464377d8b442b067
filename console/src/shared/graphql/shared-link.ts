/** Links to an operation that are sent to other people: long operations are compressed. */
import { Failure } from '../../api/failure.ts';
import { exploreLink, type LinkedOperation, linkedOperation } from './explore-link.ts';

/** Characters of a link that is not compressed, so that the operation can be read in it. */
const LONGEST_PLAIN = 1_000;
/** Characters of a link. Chats and mail programs cut off longer ones. */
const LONGEST = 60_000;
/** Characters of an operation that a link is expanded to. */
const LARGEST = 2_000_000;

const PARAMETER = 'packed';

/** Returns a path within the console. Throws Failure for an operation that is too large for a link. */
export async function sharedLink(operation: LinkedOperation): Promise<string> {
  const plain = exploreLink(operation);
  if (plain.length <= LONGEST_PLAIN) return plain;
  const link = `/explore#${PARAMETER}=${await packed(plain.slice(plain.indexOf('#') + 1))}`;
  if (link.length <= LONGEST) return link;
  const lengths = `${link.length.toLocaleString('en')} characters; links of more than ${LONGEST.toLocaleString('en')}`;
  throw new Failure({
    code: 'too-large',
    message: `The link would have ${lengths} are cut off by many programs. Send the operation and its variables as files.`,
  });
}

/** Returns the compressed operation of a fragment; undefined if it has none. */
export function packedIn(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get(PARAMETER) ?? undefined;
}

/** Throws Failure for text that `sharedLink` has not written, or of which a part is missing. */
export async function unpackedOperation(text: string): Promise<Required<LinkedOperation>> {
  const fragment = await unpacked(text).catch((cause: unknown) => {
    throw cause instanceof Failure ? cause : damaged(cause);
  });
  const operation = linkedOperation(fragment, new URLSearchParams());
  if (operation === undefined) throw damaged();
  return operation;
}

function damaged(cause?: unknown): Failure {
  const message = 'The link is damaged: a part of it is missing or was changed. Copy the link again.';
  return new Failure({ code: 'damaged', message }, cause);
}

/** `deflate` has a checksum, so that changed links are recognized. */
async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let found = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found + decoder.decode();
    found += decoder.decode(value, { stream: true });
    if (found.length <= LARGEST) continue;
    await reader.cancel();
    const message = `The link expands to more than ${LARGEST.toLocaleString('en')} characters.`;
    throw new Failure({ code: 'too-large', message });
  }
}
