// Requests to the service, printed as they are sent, with their responses.

const paint = (code, text) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[${code}m${text}\u001b[0m` : text;

export function title(text) {
  process.stdout.write(`\n${paint('1;36', text)}\n`);
}

export function print(text) {
  process.stdout.write(`${text}\n`);
}

/** Returns a client of the service at `url`. Every call except the quiet ones prints its request and its response. */
export function createClient(url) {
  return {
    url,
    /** Sends a metadata command as admin. */
    command: (body) => post(`${url}/v1/query`, { 'X-Service-Role': 'admin' }, body),
    /** Sends a metadata command as admin and prints nothing. */
    commandQuietly: (body) => send(`${url}/v1/query`, { 'X-Service-Role': 'admin' }, body),
    /** Sends a GraphQL request with the given session headers. */
    graphql: (query, headers = { 'X-Service-Role': 'admin' }) => post(`${url}/v1/graphql`, headers, { query }),
    /** Sends a GraphQL request as admin and prints nothing. */
    graphqlQuietly: (query) => send(`${url}/v1/graphql`, { 'X-Service-Role': 'admin' }, { query }),
  };
}

async function post(url, headers, body) {
  const names = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  print(paint('33', `> POST ${new URL(url).pathname}   ${names.join('   ')}`));
  print(indent(body.query ?? JSON.stringify(body, null, 2)));
  const result = await send(url, headers, body);
  print(paint('32', '< response'));
  print(indent(clip(JSON.stringify(result, null, 2))));
  return result;
}

async function send(url, headers, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

function indent(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

function clip(text) {
  const lines = text.split('\n');
  return lines.length <= 60 ? text : `${lines.slice(0, 60).join('\n')}\n... ${lines.length - 60} more lines`;
}
