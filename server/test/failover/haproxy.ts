/** HAProxy in front of the cluster: forwards one port to the member that Patroni reports as the primary. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StartOptions, serverPort, startProcess } from './processes.ts';

/** A member of the cluster: its database port, and the port of Patroni's REST API. */
export interface Backend {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
}

export interface HaproxyOptions extends StartOptions {
  readonly folder: string;
  readonly members: readonly Backend[];
}

/** Starts HAProxy and returns its port. */
export async function startHaproxy({ folder, members, ...options }: HaproxyOptions): Promise<number> {
  const port = await serverPort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, settingsOf(port, members));
  startProcess('/usr/sbin/haproxy', ['-db', '-f', file], options);
  return port;
}

/** Returns the configuration that docs/production.md recommends. */
function settingsOf(port: number, members: readonly Backend[]): string {
  const servers = members.map(
    ({ name, port: memberPort, restPort }) => `  server ${name} 127.0.0.1:${memberPort} check port ${restPort}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
