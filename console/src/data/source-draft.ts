/** The form of a source, and where one connects as the metadata says it, without secrets. Pure. */
import type { ConnectionInfo, DatabaseAddress, SourceEntry } from './data-api.ts';

export interface AddressDraft {
  readonly from: 'environment' | 'url';
  readonly text: string;
}

export interface SourceDraft {
  readonly name: string;
  readonly address: AddressDraft;
  readonly replicas: readonly AddressDraft[];
  /** Texts of numbers; empty for what the service was started with. */
  readonly maxConnections: string;
  readonly idleTimeout: string;
  readonly poolTimeout: string;
  readonly namespace: string;
  readonly prefix: string;
}

export const emptySource: SourceDraft = {
  name: '',
  address: { from: 'environment', text: '' },
  replicas: [],
  maxConnections: '',
  idleTimeout: '',
  poolTimeout: '',
  namespace: '',
  prefix: '',
};

export type SourceFaults = Readonly<Partial<Record<keyof SourceDraft, string>>>;

export function faultsIn(draft: SourceDraft): SourceFaults {
  const faults: { -readonly [Key in keyof SourceDraft]?: string } = {};
  if (draft.name.trim() === '') faults.name = 'Must not be empty.';
  if (draft.address.text.trim() === '') faults.address = 'Must not be empty.';
  if (draft.replicas.some(({ text }) => text.trim() === '')) faults.replicas = 'Must not be empty.';
  for (const field of ['maxConnections', 'idleTimeout', 'poolTimeout'] as const) {
    const whole = field === 'maxConnections';
    if (!(whole ? /^([1-9]\d*)?$/ : /^(\d+(\.\d+)?)?$/).test(draft[field].trim())) {
      faults[field] = whole ? 'Must be a whole number above zero.' : 'Must be a number of seconds.';
    }
  }
  return faults;
}

/** The arguments of `pg_add_source`. */
export function sourceArguments(draft: SourceDraft): object {
  const pool = {
    ...number('max_connections', draft.maxConnections),
    ...number('idle_timeout', draft.idleTimeout),
    ...number('pool_timeout', draft.poolTimeout),
  };
  const connection = (address: AddressDraft): object => ({
    database_url: written(address),
    ...(Object.keys(pool).length > 0 && { pool_settings: pool }),
  });
  const namespace = draft.namespace.trim();
  const prefix = draft.prefix.trim();
  return {
    name: draft.name.trim(),
    configuration: {
      connection_info: connection(draft.address),
      ...(draft.replicas.length > 0 && { read_replicas: draft.replicas.map(connection) }),
    },
    ...((namespace !== '' || prefix !== '') && {
      customization: {
        ...(namespace !== '' && { root_fields: { namespace } }),
        ...(prefix !== '' && { type_names: { prefix } }),
      },
    }),
  };
}

function number(name: string, text: string): object {
  return text.trim() === '' ? {} : { [name]: Number(text) };
}

function written({ from, text }: AddressDraft): unknown {
  return from === 'environment' ? { from_env: text.trim() } : text.trim();
}

/** `the value of SHOP_URL`, `postgres://shop@db:5432/shop`: a password is never told. */
export function describeAddress(address: DatabaseAddress | undefined): string {
  if (address === undefined) return 'the database that the service was started with';
  if (typeof address === 'string') return withoutSecrets(address);
  if (typeof address.from_env === 'string') return `the value of ${address.from_env}`;
  const { connection_parameters: parameters } = address as { connection_parameters?: Record<string, unknown> };
  if (parameters === undefined) return 'an address of another kind';
  const { username, host, port, database } = parameters;
  return `postgres://${String(username)}@${String(host)}:${String(port ?? 5432)}/${String(database)}`;
}

function withoutSecrets(text: string): string {
  try {
    const url = new URL(text);
    const user = url.username === '' ? '' : `${url.username}@`;
    return `${url.protocol}//${user}${url.host}${url.pathname}`;
  } catch {
    return 'an address that is written in the metadata';
  }
}

/** What is said of a source besides its address. */
export function describeSource({ configuration, tables, kind }: SourceEntry): readonly string[] {
  const { connection_info: info, read_replicas: replicas } = configuration ?? {};
  const most = poolOf(info)?.max_connections;
  return [
    ...(kind === 'postgres' ? [] : [kind]),
    `${tables.length.toLocaleString('en')} ${tables.length === 1 ? 'table' : 'tables'} tracked`,
    ...(replicas === undefined || replicas === null || replicas.length === 0
      ? []
      : [`${replicas.length} read ${replicas.length === 1 ? 'replica' : 'replicas'}`]),
    ...(most === undefined || most === null ? [] : [`at most ${most} connections`]),
  ];
}

function poolOf(info: ConnectionInfo | undefined) {
  return info?.pool_settings ?? undefined;
}
