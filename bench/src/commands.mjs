// Metadata commands for the service under test.

/** Runs one command as admin, with `secret` if given. Throws an error with the response of a failed command. */
export async function command(url, type, args, secret) {
  const response = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'X-Service-Role': 'admin',
      ...(secret !== undefined && { 'X-Service-Admin-Secret': secret }),
    },
    body: JSON.stringify({ type, args }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${type} failed: ${text.slice(0, 1000)}`);
  return JSON.parse(text);
}

export const trackTable = (name) => ({ type: 'track_table', args: { schema: 'public', name } });

/** Tracks the tables of `database.mjs` and the given relationships between them. */
export function trackMusic(url, secret) {
  const foreignKey = (type, table, name, using) => ({
    type: `create_${type}_relationship`,
    args: { table, name, using: { foreign_key_constraint_on: using } },
  });
  return command(
    url,
    'bulk',
    [
      ...['artist', 'album', 'track', 'remark'].map(trackTable),
      foreignKey('object', 'album', 'artist', 'artist_id'),
      foreignKey('array', 'album', 'tracks', { table: 'track', column: 'album_id' }),
    ],
    secret,
  );
}

/** Runs a query as a role and returns the text of the response. Throws for errors. */
export async function query(url, role, text) {
  const response = await fetch(`${url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Service-Role': role, 'X-Service-User-Name': 'me' },
    body: JSON.stringify({ query: text }),
  });
  const result = await response.text();
  if (result.includes('"errors"')) throw new Error(`a query as ${role} failed: ${result.slice(0, 500)}`);
  return result;
}
