/** The authentication of a connection: cleartext and MD5 passwords, SCRAM-SHA-256 with and without channel binding. */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { serialize } from 'pg-protocol';
import { certificateHash } from './certificate-hash.ts';
import { ProtocolError } from './framing.ts';
import { Reader } from './messages.ts';
import { passwordInFile } from './password-file.ts';
import { createScram, type Scram, type ScramMechanism, type ScramSettings } from './scram.ts';
import type { Target } from './target.ts';

/** The kinds of authentication messages. */
const kind = { ok: 0, cleartext: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;

const plain: ScramMechanism = 'SCRAM-SHA-256';
const bound: ScramMechanism = 'SCRAM-SHA-256-PLUS';

export interface Authentication {
  /** Whether the server has accepted the client, and, where it can, proved that it knows the password. */
  readonly completed: boolean;
  /** Handles an authentication message. Returns the response; undefined for none. Throws or rejects where the authentication fails. */
  handle(body: Buffer): Buffer | Promise<Buffer> | undefined;
}

export function createAuthentication(target: Target, socket: Socket): Authentication {
  const { user, channelBinding } = target;
  let scram: Scram | undefined;
  let isVerified = false;
  let completed = false;

  function password(): string {
    if (channelBinding === 'require' && scram === undefined) throw unbound();
    return written();
  }

  function written(): string {
    const password = target.password ?? passwordInFile(target);
    if (password !== undefined) return password;
    throw new Error(`the server requests a password for user "${user}", and the database URL contains none`);
  }

  function begin(reader: Reader): Buffer {
    const offered: string[] = [];
    for (let name = reader.string(); name !== ''; name = reader.string()) offered.push(name);
    const hash = channelBinding === 'disable' ? undefined : hashOf(socket);
    const mechanism = [hash === undefined ? plain : bound, plain].find((one) => offered.includes(one));
    if (mechanism === undefined)
      throw new Error(`the server offers no supported password exchange: ${offered.join(', ')}`);
    if (channelBinding === 'require' && mechanism !== bound) throw unbound();
    const binding: ScramSettings['binding'] = hash === undefined ? 'n' : mechanism === bound ? hash : 'y';
    scram = createScram({ password: written(), binding });
    return serialize.sendSASLInitialResponseMessage(mechanism, scram.first);
  }

  return {
    get completed() {
      return completed;
    },
    handle(body) {
      const reader = new Reader(body, 0, body.length);
      const received = reader.int32();
      switch (received) {
        case kind.ok:
          if (scram !== undefined && !isVerified) throw new ProtocolError('the server ended SCRAM without its proof');
          if (scram === undefined && channelBinding === 'require') throw unbound();
          completed = true;
          return undefined;
        case kind.cleartext:
          return serialize.password(password());
        case kind.md5:
          return serialize.password(md5Password(user, password(), reader.remaining()));
        case kind.sasl:
          return begin(reader);
        case kind.saslContinue:
          if (scram === undefined) throw new ProtocolError('the server continued SCRAM without a beginning');
          return scram.respond(reader.remaining().toString()).then(serialize.sendSCRAMClientFinalMessage);
        case kind.saslFinal:
          if (scram === undefined) throw new ProtocolError('the server ended SCRAM without a beginning');
          scram.verify(reader.remaining().toString());
          isVerified = true;
          return undefined;
        default:
          throw new Error(`the server requests an authentication method that is not supported (${received})`);
      }
    },
  };
}

function unbound(): Error {
  return new Error(
    'the database URL has channel_binding=require, and the server does not offer channel binding over TLS',
  );
}

/** Returns the hash for channel binding; undefined without TLS. */
function hashOf(socket: Socket): Buffer | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { raw } = socket.getPeerCertificate();
  return raw === undefined ? undefined : certificateHash(raw);
}

function md5Password(user: string, password: string, salt: Buffer): string {
  const inner = createHash('md5').update(password).update(user).digest('hex');
  return `md5${createHash('md5').update(inner).update(salt).digest('hex')}`;
}
