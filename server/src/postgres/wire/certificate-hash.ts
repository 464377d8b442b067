/** The hash of a server's certificate for the channel binding `tls-server-end-point` (RFC 5929). */
import { createHash } from 'node:crypto';

/** Hash functions by the object identifier of a signature algorithm or, for RSASSA-PSS, of its hash. SHA-1 and MD5 become SHA-256. */
const hashes: Readonly<Record<string, string>> = {
  '2a864886f70d010104': 'sha256',
  '2a864886f70d010105': 'sha256',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a864886f70d01010e': 'sha224',
  '2a8648ce3d0401': 'sha256',
  '2a8648ce3d040301': 'sha224',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b0e03021a': 'sha256',
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
};
const pss = '2a864886f70d01010a';

/** Returns the hash of a certificate in DER; undefined where its signature algorithm has no single hash function, as Ed25519. */
export function certificateHash(certificate: Buffer): Buffer | undefined {
  const name = hashOf(certificate);
  return name === undefined ? undefined : createHash(name).update(certificate).digest();
}

function hashOf(certificate: Buffer): string | undefined {
  // Certificate: SEQUENCE { content, SEQUENCE { algorithm, parameters }, signature }
  const content = elementAt(certificate, elementAt(certificate, 0).start);
  const algorithm = elementAt(certificate, content.end);
  const identifier = elementAt(certificate, algorithm.start);
  const oid = certificate.toString('hex', identifier.start, identifier.end);
  if (oid !== pss) return hashes[oid];
  // SEQUENCE { [0] SEQUENCE { hash } }. Without it the hash is SHA-1.
  const parameters = elementAt(certificate, identifier.end);
  if (parameters.end === parameters.start || certificate[parameters.start] !== 0xa0) return 'sha256';
  const hash = elementAt(certificate, elementAt(certificate, elementAt(certificate, parameters.start).start).start);
  return hashes[certificate.toString('hex', hash.start, hash.end)];
}

/** Returns the content of the DER element at `at`. */
function elementAt(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  return { start, end: start + length };
}
