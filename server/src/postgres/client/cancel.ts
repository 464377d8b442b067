/** The protocol's own way to stop a running statement: a second connection that carries a cancel request alone. */
import pg from 'pg';

/** Fields of pg's client and connection that its types leave out. */
interface ClientInside {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | object;
  readonly processID: number | null;
  readonly secretKey: number | null;
}
interface ConnectionInside {
  readonly stream: { destroy(): void };
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): void;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Asks the server to stop what `client` runs. Resolves, never rejects, when the server has closed the carrying
 * connection, which it does after passing the request on, or after `limitMs`.
 */
export function requestCancel(client: pg.Client, limitMs = 2000): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as ClientInside;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const carrier = new pg.Connection({ ssl }) as unknown as ConnectionInside;
    const limit = setTimeout(done, limitMs);
    function done(): void {
      clearTimeout(limit);
      carrier.stream.destroy();
      resolve();
    }
    const send = (): void => carrier.cancel(processID as number, secretKey as number);
    carrier.on('connect', () => (ssl ? carrier.requestSsl() : send()));
    carrier.on('sslconnect', send);
    carrier.on('end', done);
    carrier.on('error', done);
    if (host.startsWith('/')) carrier.connect(`${host}/.s.PGSQL.${port}`);
    else carrier.connect(port, host);
  });
}
