/** Connections of programs of PostgreSQL to the databases of sources. */

/** Parameters of a URL that libpq knows. Others belong to drivers or poolers, and libpq rejects them. */
const known = new Set(
  'application_name channel_binding connect_timeout gssencmode host hostaddr keepalives keepalives_count keepalives_idle keepalives_interval krbsrvname load_balance_hosts options passfile port require_auth sslcert sslcrl sslkey sslmode sslnegotiation sslpassword sslrootcert sslsni target_session_attrs tcp_user_timeout'.split(
    ' ',
  ),
);

interface LibpqConnection {
  /** Has no password, because other users of the machine can read the arguments of a process. */
  readonly uri: string;
  readonly password: string | undefined;
}

/** Converts the URL of a database, which may have several hosts. */
export function libpqConnection(url: string): LibpqConnection {
  const [, scheme = 'postgresql://', credentials, rest = ''] = /^([a-z]+:\/\/)(?:([^/?#@]*)@)?(.*)$/is.exec(url) ?? [];
  const [address = '', query = ''] = splitAt(rest, '?');
  const [user = '', written] = splitAt(credentials ?? '', ':');
  const parameters = new URLSearchParams(query);
  const password = written === undefined ? (parameters.get('password') ?? undefined) : decodeURIComponent(written);
  const named = user === '' ? parameters.get('user') : null;
  const kept = [...parameters]
    .filter(([name]) => known.has(name))
    .map(([name, value]) => [name, libpqValue(name, value)]);
  const tail = kept.map(([name = '', value = '']) => `${name}=${encodeURIComponent(value)}`).join('&');
  const owner = user === '' && named !== null ? encodeURIComponent(named) : user;
  return {
    uri: `${scheme}${owner === '' ? '' : `${owner}@`}${address}${tail === '' ? '' : `?${tail}`}`,
    password,
  };
}

/** `no-verify` is a mode of the driver: encrypted, without verification, as `require` of libpq. */
function libpqValue(name: string, value: string): string {
  return name === 'sslmode' && value === 'no-verify' ? 'require' : value;
}

function splitAt(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
