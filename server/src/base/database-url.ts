/** Parses database URLs as libpq does, including several hosts and `target_session_attrs`. */
import { ServiceError } from './errors.ts';

export const sessionAttributes = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
/** The values of `target_session_attrs`. */
export type SessionAttributes = (typeof sessionAttributes)[number];

export interface DatabaseUrl {
  /** One URL for each host, in order, without the parameters below. */
  readonly hosts: readonly string[];
  readonly session: SessionAttributes;
  /** `connect_timeout`, which applies to each host. */
  readonly connectTimeoutMs: number | undefined;
}

const form = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/s;

/** Throws `invalid-configuration` for an invalid URL. The message does not contain the URL. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme, user = '', authority = '', rest = ''] = form.exec(text) ?? [];
  const names = authority.split(',');
  const first = `${scheme}${user}${names[0]}${rest}`;
  if (scheme === undefined || !URL.canParse(first)) {
    throw invalid(
      'must look like postgres://user:password@host:5432/database, with special characters percent-encoded',
    );
  }
  const { searchParams, pathname } = new URL(first);
  if (![user, pathname, ...names].every(isDecodable)) {
    throw invalid('has a "%" that is not followed by two digits of UTF-8; write %25 for the character itself');
  }
  const written = hostsOf(names, searchParams.get('host'), searchParams.get('port'));
  const hosts = written.map(({ name, parameters }) => {
    const one = `${scheme}${user}${name}${rest}`;
    if (!URL.canParse(one)) throw invalid('has a host that cannot be read; write host1:5432,host2:5432');
    const url = new URL(one);
    for (const parameter of ['target_session_attrs', 'connect_timeout']) url.searchParams.delete(parameter);
    for (const [parameter, value] of Object.entries(parameters)) url.searchParams.set(parameter, value);
    // The driver's parser reads no brackets in a URL with spaces.
    return searchParams.size === 0 && !one.includes(' ') ? one : url.href;
  });
  return { hosts, session: sessionOf(searchParams), connectTimeoutMs: timeoutOf(searchParams) };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

interface Host {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns the hosts of the authority or, where it has none, those of the parameters `host` and `port`. */
function hostsOf(names: readonly string[], hosts: string | null, ports: string | null): readonly Host[] {
  if (hosts === null || !hosts.includes(',')) return names.map((name) => ({ name, parameters: {} }));
  const all = ports?.split(',') ?? [];
  const listed = hosts.split(',');
  if (all.length > 1 && all.length !== listed.length) throw invalid('has a different number of ports and hosts');
  return listed.map((host, index) => {
    const port = all.length === 1 ? all[0] : all[index];
    return { name: names[0] ?? '', parameters: { host, ...(port !== undefined && { port }) } };
  });
}

function sessionOf(parameters: URLSearchParams): SessionAttributes {
  const written = parameters.get('target_session_attrs') ?? 'any';
  const known = sessionAttributes.find((one) => one === written);
  if (known === undefined)
    throw invalid(`has a target_session_attrs that is not one of ${sessionAttributes.join(', ')}`);
  return known;
}

function timeoutOf(parameters: URLSearchParams): number | undefined {
  const written = parameters.get('connect_timeout');
  if (written === null) return undefined;
  if (!/^\d{1,4}$/.test(written)) throw invalid('has a connect_timeout that is not a number of seconds');
  // As in libpq, 0 sets no limit.
  return Number(written) === 0 ? undefined : Number(written) * 1000;
}

function invalid(reason: string): ServiceError {
  return new ServiceError('invalid-configuration', `the database URL ${reason}`);
}

/** Returns the password of a URL, as written and decoded. The URL may have several hosts. */
export function passwordsIn(text: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^/?#:@]*:([^/?#]*)@/i.exec(text)?.[1] ?? '';
  if (written === '') return [];
  try {
    return [...new Set([written, decodeURIComponent(written)])];
  } catch {
    return [written];
  }
}
