/** Webhook signatures of the Standard Webhooks specification: `v1` with HMAC-SHA256, `v1a` with Ed25519. */
import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { ServiceError } from '../../base/errors.ts';

/** Returns the value of `webhook-signature`: the signatures of all keys in order, separated by spaces. */
export type Signer = (message: string) => string;

/** The message describes the error without the key. */
function invalidKey(message: string): ServiceError {
  return new ServiceError('invalid-configuration', message);
}

/**
 * @param keys `whsec_` and the base64 of 24 to 64 bytes, or `whsk_` and the base64 of an ed25519 key: its seed of 32 bytes,
 *   seed and public key, or PKCS #8. Several are separated by spaces or commas; each makes a signature.
 * @throws ServiceError `invalid-configuration`, with a message that continues the name of the setting
 */
export function readSigner(keys: string): Signer {
  const written = keys.split(/[\s,]/).filter((key) => key !== '');
  if (written.length === 0) throw invalidKey('holds no signing key');
  const signers = written.map((key, index) => signerOf(key, written.length === 1 ? 'the' : ordinal(index)));
  return (message) => signers.map((one) => one(message)).join(' ');
}

/** Returns the signed content. */
export function signedMessage(id: string, seconds: number, body: string): string {
  return `${id}.${seconds}.${body}`;
}

function ordinal(index: number): string {
  return `the ${['first', 'second', 'third'][index] ?? `${index + 1}th`}`;
}

function signerOf(key: string, which: string): Signer {
  const [, prefix, text = ''] = /^(whsec_|whsk_)([A-Za-z0-9+/]+={0,2})$/.exec(key) ?? [];
  const bytes = Buffer.from(text, 'base64');
  switch (prefix) {
    case 'whsec_':
      if (bytes.length >= 24 && bytes.length <= 64) return hmacSigner(bytes);
      throw invalidKey(`has ${bytes.length} bytes in ${which} whsec_ key, which must be 24 to 64`);
    case 'whsk_':
      return ed25519Signer(bytes, which);
    default:
      throw invalidKey(`must have whsec_ or whsk_ and base64 as ${which} key`);
  }
}

function hmacSigner(key: Buffer): Signer {
  return (message) => `v1,${createHmac('sha256', key).update(message).digest('base64')}`;
}

/** The PKCS #8 header before the seed. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function ed25519Signer(bytes: Buffer, which: string): Signer {
  const isSeed = bytes.length === 32 || bytes.length === 64;
  const key = isSeed ? Buffer.concat([pkcs8, bytes.subarray(0, 32)]) : bytes;
  if (!isSeed && !(bytes.length === pkcs8.length + 32 && bytes.subarray(0, pkcs8.length).equals(pkcs8))) {
    throw invalidKey(`has ${bytes.length} bytes in ${which} whsk_ key, which is not an Ed25519 key`);
  }
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return (message) => `v1a,${sign(null, Buffer.from(message), privateKey).toString('base64')}`;
}
