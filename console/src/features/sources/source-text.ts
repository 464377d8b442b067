/** Descriptions of a source without secrets. Pure. */
import type { ConnectionInfo, DatabaseAddress, SourceEntry } from '../../shared/sources/sources-api.ts';

/** Describes an address: `the value of SHOP_URL`, `postgres://shop@db:5432/shop`. Never includes a password. */
export function describeAddress(address: DatabaseAddress | undefined): string {
  if (address === undefined) return 'the database that the service was started with';
  if (typeof address === 'string') return withoutSecrets(address);
  if ('from_env' in address) return `the value of ${address.from_env}`;
  if (!('connection_parameters' in address)) return 'an address of another kind';
  const { username, host, port, database } = address.connection_parameters;
  return `postgres://${username}@${host}:${port ?? 5432}/${database}`;
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

/** Returns the editable part of a URL and whether a secret was removed. Empty for an invalid URL. */
export function openAddress(text: string): { readonly text: string; readonly secret: boolean } {
  try {
    const url = new URL(text);
    const secrets = [...url.searchParams.keys()].filter((name) => /password/i.test(name));
    if (url.password === '' && secrets.length === 0) return { text, secret: false };
    url.password = '';
    for (const name of secrets) url.searchParams.delete(name);
    return { text: url.href, secret: true };
  } catch {
    return { text: '', secret: true };
  }
}

/** Describes a source besides its address. */
export function describeSource({ configuration, tables, kind }: SourceEntry): readonly string[] {
  const { connection_info: info, read_replicas: replicas } = configuration ?? {};
  const most = poolOf(info)?.max_connections;
  return [
    ...(kind === undefined || kind === 'postgres' ? [] : [kind]),
    `${tables.length.toLocaleString('en')} ${tables.length === 1 ? 'table' : 'tables'} tracked`,
    ...(replicas === undefined || replicas === null || replicas.length === 0
      ? []
      : [`${replicas.length} read ${replicas.length === 1 ? 'replica' : 'replicas'}`]),
    ...(most === undefined || most === null ? [] : [`at most ${most} connections`]),
  ];
}

const inForm = [
  'database_url',
  'pool_settings',
  'max_connections',
  'idle_timeout',
  'connection_lifetime',
  'pool_timeout',
];

/** Lists connection settings without an input: `isolation_level`, `pool_settings.retries`. */
export function otherSettings({ configuration }: SourceEntry): readonly string[] {
  const { connection_info: info = {} } = configuration ?? {};
  const others = (members: object, before: string): string[] =>
    Object.entries(members).flatMap(([name, value]) =>
      inForm.includes(name) || value === null || value === undefined ? [] : [`${before}${name}`],
    );
  return [...others(info, ''), ...others(poolOf(info) ?? {}, 'pool_settings.')];
}

function poolOf(info: ConnectionInfo | undefined) {
  return info?.pool_settings ?? undefined;
}
