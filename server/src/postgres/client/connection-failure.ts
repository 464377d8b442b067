/** Describes failed connections for the operator: target, cause and advice. */
import { parseDatabaseUrl } from '../../base/database-url.ts';
import { ServiceError } from '../../base/errors.ts';
import { readTarget, type Target } from '../wire/target.ts';

/** The target of a URL, with the defaults of the driver. Does not contain the password. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** `host:port` of the other hosts of the URL. */
  readonly others: readonly string[];
}

export interface ConnectionFailure {
  /** One clause without a period: `password authentication failed for user "app" (28P01)`. */
  readonly cause: string;
  /** One sentence for the operator. */
  readonly advice: string;
  /** Whether a later attempt can succeed without a change of the settings. */
  readonly temporary: boolean;
}

/** Returns the target of `url`. A part that the URL does not name has the default of the driver. */
export function targetOf(url: string): ConnectionTarget {
  const [first = url, ...others] = hostsOf(url);
  const { host, port, database, user } = parsed(first);
  // An unescaped "/" and "@" in a password end up in the name of the database.
  const shown = database.includes('@') ? '?' : database;
  return { host, port, database: shown, user, others: others.map((one) => addressOf(parsed(one))) };
}

/** One URL for each host. */
function hostsOf(url: string): readonly string[] {
  try {
    return parseDatabaseUrl(url).hosts;
  } catch {
    return [url];
  }
}

function addressOf({ host, port }: Pick<ConnectionTarget, 'host' | 'port'>): string {
  return host.startsWith('/') ? `${host} (socket, port ${port})` : `${bracketed(host)}:${port}`;
}

/** Returns `database "shop" at db.example:5432 as user "app"`. */
export function describeTarget({ host, port, database, user, others }: ConnectionTarget): string {
  const addresses = [addressOf({ host, port }), ...others].join(', ');
  return `database "${database}" at ${addresses} as user "${user}"`;
}

/** The errors of several hosts, in the order of the attempts. */
export class HostsFailed extends AggregateError {
  readonly hosts: readonly string[];

  constructor(failures: readonly { readonly host: string; readonly error: unknown }[]) {
    super(failures.map(({ error }) => error));
    this.hosts = failures.map(({ host }) => host);
  }
}

/** Classifies the error of an attempt to connect to `target`, or to set up the schema there. */
export function describeFailure(error: unknown, target?: ConnectionTarget): ConnectionFailure {
  const root = rootOf(error);
  if (root instanceof HostsFailed) return describeHosts(root, target);
  const { code } = root as { code?: unknown };
  const message = messageOf(root);
  const found = sqlStates[typeof code === 'string' ? code : ''] ??
    systemErrors[typeof code === 'string' ? code : ''] ??
    messages.find(({ pattern }) => pattern.test(message)) ??
    (isTls(code, message) ? tls : undefined) ?? {
      advice: 'Check that the address is that of a PostgreSQL server.',
      temporary: true,
    };
  return {
    cause: [found.meaning, quoted(message, code)].filter((part) => part !== undefined).join(': '),
    advice: found.advice
      .replaceAll('"$database"', target === undefined ? 'NAME' : `"${target.database}"`)
      .replaceAll('"$user"', target === undefined ? 'NAME' : `"${target.user}"`),
    temporary: found.temporary,
  };
}

/** Whether `error` is a failure of the connection or of its setup, not of a statement. */
export function isConnectionFailure(error: unknown): boolean {
  const { code } = rootOf(error) as { code?: unknown };
  if (error instanceof ServiceError) return error.code === 'busy';
  if (typeof code !== 'string') return false;
  // Poolers report an unreachable server with class 08.
  return code in sqlStates || code in systemErrors || code === 'ENOENT' || code.startsWith('08');
}

function describeHosts({ errors, hosts }: HostsFailed, target: ConnectionTarget | undefined): ConnectionFailure {
  const failures = errors.map((error) => describeFailure(error, target));
  return {
    cause: failures.map(({ cause }, index) => `${hosts[index]}: ${cause}`).join('; '),
    advice: [...new Set(failures.map(({ advice }) => advice))].join(' '),
    // One temporary failure is enough for a retry to make sense.
    temporary: failures.some(({ temporary }) => temporary),
  };
}

interface Known {
  /** The meaning of the error, where its message does not contain it. */
  readonly meaning?: string;
  readonly advice: string;
  readonly temporary: boolean;
}

const unknownDatabase: Known = {
  advice: 'Create it (createdb "$database"), or correct the name of the database in the URL.',
  temporary: false,
};
const credentials: Known = {
  advice: 'Correct the user or the password in the URL. Special characters in them are percent-encoded.',
  temporary: false,
};
const unavailable: Known = { advice: 'Check the server. Its log contains the reason.', temporary: true };

const sqlStates: Readonly<Record<string, Known>> = {
  '3D000': unknownDatabase,
  '28P01': credentials,
  '28000': {
    advice: 'Create the user "$user", or add an entry for this user, database and address to pg_hba.conf.',
    temporary: false,
  },
  '42501': {
    advice: 'Grant the user "$user" the privileges: grant connect, create on database "$database" to "$user".',
    temporary: false,
  },
  '53300': {
    advice: 'Raise max_connections of the server, lower JOINERY_POOL_SIZE, or connect through a pooler.',
    temporary: true,
  },
  '57P01': unavailable,
  '57P02': unavailable,
  '57P03': unavailable,
  '25006': {
    meaning: 'the server is read-only',
    advice: 'Connect to the primary: this server is a standby, or default_transaction_read_only is on.',
    temporary: true,
  },
};

const systemErrors: Readonly<Record<string, Known>> = {
  ENOTFOUND: {
    meaning: 'the host name does not resolve',
    advice: 'Correct the host in the URL, or check the DNS of this machine.',
    temporary: true,
  },
  EAI_AGAIN: {
    meaning: 'the DNS server does not respond',
    advice: 'Check the network and the DNS of this machine.',
    temporary: true,
  },
  ECONNREFUSED: {
    meaning: 'connection refused',
    advice: 'Check that PostgreSQL runs there and listens on this address and port (listen_addresses, port).',
    temporary: true,
  },
  ECONNRESET: {
    meaning: 'the server closed the connection',
    advice: 'Check that the address is that of a PostgreSQL server; a proxy closes connections while it has no server.',
    temporary: true,
  },
  EHOSTUNREACH: {
    meaning: 'no route to the host',
    advice: 'Check the network and its firewalls.',
    temporary: true,
  },
  ENETUNREACH: {
    meaning: 'the network is unreachable',
    advice: 'Check the network of this machine.',
    temporary: true,
  },
  ETIMEDOUT: {
    meaning: 'the server does not respond',
    advice: 'Check host and port, and that no firewall drops the packets.',
    temporary: true,
  },
};

const tls: Known = {
  meaning: 'TLS failed',
  advice: 'Check sslmode and sslrootcert in the URL, and the certificate of the server.',
  temporary: false,
};

/** Failures that have no distinct code. */
const messages: readonly (Known & { readonly pattern: RegExp })[] = [
  { pattern: /SSL|TLS|certificate/i, ...tls },
  { pattern: /no such database/i, ...unknownDatabase },
  { pattern: /password/i, ...credentials },
  {
    pattern: /connect ENOENT/,
    meaning: 'no server listens on the socket',
    advice: 'Check that PostgreSQL runs and uses this directory (unix_socket_directories).',
    temporary: true,
  },
  {
    pattern: /^the server is not /,
    advice: 'Check that one of the servers matches target_session_attrs.',
    temporary: true,
  },
  { pattern: /no such file/i, advice: 'Correct the path of the file in the URL.', temporary: false },
  {
    pattern: /timeout/i,
    meaning: 'the server does not respond',
    advice: 'Check host and port, and that no firewall drops the packets.',
    temporary: true,
  },
  {
    pattern: /Connection (terminated|ended)/i,
    meaning: 'the server closed the connection',
    advice: 'Check that the address is that of a PostgreSQL server; a proxy closes connections while it has no server.',
    temporary: true,
  },
];

/** Codes of Node's TLS: `DEPTH_ZERO_SELF_SIGNED_CERT`, `ERR_TLS_CERT_ALTNAME_INVALID`, `CERT_HAS_EXPIRED`. */
function isTls(code: unknown, message: string): boolean {
  return typeof code === 'string' && (/CERT|TLS|SSL|LEAF_SIGNATURE|CRL/.test(code) || /certificate/i.test(message));
}

/** Returns the innermost cause of an error. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}

/** Returns the message of an error. An AggregateError for several addresses of a host has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function quoted(message: string, code: unknown): string | undefined {
  if (message === '') return typeof code === 'string' ? code : undefined;
  return typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message;
}

type Parsed = Pick<Target, 'host' | 'port' | 'database' | 'user'>;

function parsed(url: string): Parsed {
  try {
    return readTarget(url);
  } catch {
    // A file that the URL names cannot be read.
    const { hostname, port, pathname, username } = new URL(url);
    const user = decodeURIComponent(username);
    return {
      host: hostname,
      port: Number(port) || 5432,
      database: decodeURIComponent(pathname.slice(1)) || user,
      user,
    };
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
