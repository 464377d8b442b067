/**
 * Members of the classes of `pg` that its types leave out. The version of `pg` is pinned, and
 * `server/test/postgres/pg-internals.test.ts` checks each member.
 */
import pg from 'pg';
import type { encodeParameter } from '../sql/parameters.ts';

/** The members of `pg.Connection` in use: the socket, the prepared statements and the messages of the protocol. */
export interface PgConnection {
  readonly stream: {
    readonly bytesRead: number;
    cork(): void;
    uncork(): void;
    destroy(): void;
  };
  /** Texts by statement name. */
  readonly parsedStatements: Record<string, string | undefined>;
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): void;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  query(text: string): void;
  parse(message: { name: string | undefined; text: string }): void;
  bind(message: {
    statement: string | undefined;
    values: readonly unknown[];
    valueMapper: typeof encodeParameter;
  }): void;
  describe(message: { type: 'P' }): void;
  execute(message: null): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

/** The members of `pg.Client` in use. */
export interface PgClient {
  readonly connection: PgConnection;
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | object;
  /** Null before the connection is open. */
  readonly processID: number | null;
  readonly secretKey: number | null;
}

export function internalsOf(client: pg.Client): PgClient {
  return client as unknown as PgClient;
}

/** Returns a connection that belongs to no client. `connect` opens it. */
export function createConnection(ssl: boolean | object): PgConnection {
  return new pg.Connection({ ssl }) as unknown as PgConnection;
}
