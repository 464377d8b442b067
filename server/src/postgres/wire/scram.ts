/** The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), with channel binding `tls-server-end-point` (RFC 5929). */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export type ScramMechanism = 'SCRAM-SHA-256' | 'SCRAM-SHA-256-PLUS';

export interface Scram {
  /** The first message of the client. */
  readonly first: string;
  /** Returns the final message for the first message of the server. */
  respond(serverFirst: string): Promise<string>;
  /** Throws unless the final message of the server proves that it knows the password. */
  verify(serverFinal: string): void;
}

export interface ScramSettings {
  readonly password: string;
  /** `n`: no channel binding; `y`: supported, and not offered by the server; the hash of its certificate for `-PLUS`. */
  readonly binding: 'n' | 'y' | Buffer;
}

/**
 * A server chooses the iterations, so that a hostile one could occupy a thread. PostgreSQL's default is 4096; OWASP recommends
 * 600,000. The most take about a second, less than the time limit of a connection.
 */
const mostIterations = 2_000_000;
const hashBytes = 32;
/** Keys of this many passwords and salts are stored. */
const mostKeys = 20;

/** Runs on a thread of its own, so that it does not block the event loop. */
const derive = promisify(pbkdf2);
const keys = new Map<string, Promise<Buffer>>();

/** Returns the key of a password. It is derived once, so that a pool opens its connections as fast with many iterations. */
function keyOf(password: string, salt: Buffer, iterations: number): Promise<Buffer> {
  const name = `${iterations},${salt.toString('base64')},${password}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = derive(normalize(password), salt, iterations, hashBytes, 'sha256');
  key.catch(() => keys.delete(name));
  const [oldest] = keys.keys();
  if (keys.size >= mostKeys && oldest !== undefined) keys.delete(oldest);
  keys.set(name, key);
  return key;
}

export function createScram({ password, binding }: ScramSettings, nonce = randomBytes(18).toString('base64')): Scram {
  const header = `${typeof binding === 'string' ? binding : 'p=tls-server-end-point'},,`;
  const firstBare = `n=*,r=${nonce}`;
  let signature: Buffer | undefined;
  return {
    first: `${header}${firstBare}`,
    async respond(serverFirst) {
      const { combined, salt, iterations } = readServerFirst(serverFirst, nonce);
      const bound = typeof binding === 'string' ? Buffer.alloc(0) : binding;
      const channel = Buffer.concat([Buffer.from(header), bound]).toString('base64');
      const finalBare = `c=${channel},r=${combined}`;
      const message = `${firstBare},${serverFirst},${finalBare}`;
      const salted = await keyOf(password, salt, iterations);
      const clientKey = hmac(salted, 'Client Key');
      const proof = xor(clientKey, hmac(createHash('sha256').update(clientKey).digest(), message));
      signature = hmac(hmac(salted, 'Server Key'), message);
      return `${finalBare},p=${proof.toString('base64')}`;
    },
    verify(serverFinal) {
      const attributes = attributesOf(serverFinal);
      const reported = attributes.get('e');
      if (reported !== undefined) throw new Error(`SCRAM: the server reported the error "${reported}"`);
      const sent = Buffer.from(attributes.get('v') ?? '', 'base64');
      if (signature === undefined || sent.length !== hashBytes || !timingSafeEqual(sent, signature)) {
        throw new Error('SCRAM: the server did not prove that it knows the password');
      }
    },
  };
}

function readServerFirst(message: string, nonce: string): { combined: string; salt: Buffer; iterations: number } {
  const attributes = attributesOf(message);
  const combined = attributes.get('r') ?? '';
  const salt = Buffer.from(attributes.get('s') ?? '', 'base64');
  const iterations = Number(attributes.get('i'));
  if (!combined.startsWith(nonce) || combined.length === nonce.length) {
    throw new Error('SCRAM: the nonce of the server does not extend that of the client');
  }
  if (salt.length === 0 || !Number.isInteger(iterations) || iterations < 1) {
    throw new Error('SCRAM: the first message of the server is invalid');
  }
  if (iterations > mostIterations) {
    throw new Error(`SCRAM: the server requests ${iterations} iterations, more than ${mostIterations}`);
  }
  return { combined, salt, iterations };
}

function attributesOf(message: string): ReadonlyMap<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

function hmac(key: Buffer, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/** Spaces other than the ASCII one (RFC 3454, C.1.2). */
const otherSpaces = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
/** Characters that are mapped to nothing (RFC 3454, B.1). */
const mappedToNothing = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g;

/** Normalizes a password as the server did when it was set (SASLprep, RFC 4013). */
function normalize(password: string): string {
  return password.replaceAll(otherSpaces, ' ').replaceAll(mappedToNothing, '').normalize('NFKC');
}
