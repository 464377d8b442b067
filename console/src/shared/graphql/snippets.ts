/** Code that sends an operation, for the clients that teams use. Pure. */
import { curlOf } from './curl.ts';
import type { GraphQLRequest, Headers } from './graphql-api.ts';
import type { NamedOperation } from './operation-draft.ts';

export interface SnippetParts extends GraphQLRequest {
  readonly kind: NamedOperation['kind'] | undefined;
  /** Without the content type and the admin secret. */
  readonly headers: Headers;
  readonly origin: string;
  readonly headerPrefix: string;
  /** Whether the admin secret is sent: code reads it from the environment. */
  readonly sendsSecret: boolean;
}

interface Snippet {
  readonly name: string;
  readonly write: (parts: SnippetParts) => string;
  /** Why the operation cannot be sent so. */
  readonly problem?: (parts: SnippetParts) => string | undefined;
}

const socketOnly = ({ kind }: SnippetParts): string | undefined =>
  kind === 'subscription' ? 'A subscription needs a websocket. Choose Apollo Client or urql.' : undefined;

export const snippets: readonly Snippet[] = [
  { name: 'curl', write: (parts) => curlOf({ ...parts, secretRequired: parts.sendsSecret }), problem: socketOnly },
  { name: 'fetch', write: fetchCode, problem: socketOnly },
  { name: 'Apollo Client', write: apolloCode },
  { name: 'urql', write: urqlCode },
  { name: 'graphql-request', write: graphqlRequestCode, problem: socketOnly },
  { name: 'Python', write: pythonCode, problem: socketOnly },
];

function endpoint({ origin }: SnippetParts): string {
  return `${origin}/v1/graphql`;
}

function socket({ origin }: SnippetParts): string {
  return `${origin.replace(/^http/, 'ws')}/v1/graphql`;
}

/** An object of headers in JavaScript, indented. */
function headersCode({ headers, headerPrefix, sendsSecret }: SnippetParts, indent: string): string {
  const lines = [
    ...(sendsSecret ? [`${quote(`${headerPrefix}admin-secret`)}: process.env.ADMIN_SECRET,`] : []),
    ...Object.entries(headers).map(([name, value]) => `${quote(name)}: ${quote(value)},`),
  ];
  return lines.length === 0 ? '{}' : `{\n${lines.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

/** A template literal of the operation. */
function template({ query }: SnippetParts): string {
  const text = query.trim().replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
  return `\`\n${indented(text, '  ')}\n\``;
}

function indented(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : `${indent}${line}`))
    .join('\n');
}

/** JSON text is JavaScript too. */
function variablesCode({ variables }: SnippetParts): string {
  return variables.trim() === '' ? '{}' : variables.trim();
}

function fetchCode(parts: SnippetParts): string {
  const name = parts.operationName === undefined ? '' : `, operationName: ${quote(parts.operationName)}`;
  const { headers } = parts;
  return `const query = ${template(parts)};
const variables = ${variablesCode(parts)};

const response = await fetch(${quote(endpoint(parts))}, {
  method: 'POST',
  headers: ${headersCode({ ...parts, headers: { 'content-type': 'application/json', ...headers } }, '  ')},
  body: JSON.stringify({ query, variables${name} }),
});
const { data, errors } = await response.json();
`;
}

function documentCode(parts: SnippetParts): string {
  return `const document = gql${template(parts)};
const variables = ${variablesCode(parts)};
`;
}

function apolloCode(parts: SnippetParts): string {
  if (parts.kind === 'subscription') {
    return `import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';

const socket = createClient({
  url: ${quote(socket(parts))},
  connectionParams: {
    headers: ${headersCode(parts, '    ')},
  },
});
const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });

${documentCode(parts)}
client.subscribe({ query: document, variables }).subscribe(({ data }) => console.log(data));
`;
  }
  const call =
    parts.kind === 'mutation'
      ? 'client.mutate({ mutation: document, variables })'
      : 'client.query({ query: document, variables })';
  return `import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';

const link = new HttpLink({
  uri: ${quote(endpoint(parts))},
  headers: ${headersCode(parts, '  ')},
});
const client = new ApolloClient({ link, cache: new InMemoryCache() });

${documentCode(parts)}
const { data } = await ${call};
`;
}

function urqlCode(parts: SnippetParts): string {
  if (parts.kind === 'subscription') {
    return `import { Client, gql, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';

const socket = createClient({
  url: ${quote(socket(parts))},
  connectionParams: {
    headers: ${headersCode(parts, '    ')},
  },
});
const client = new Client({
  url: ${quote(endpoint(parts))},
  exchanges: [
    subscriptionExchange({
      forwardSubscription: (request) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ ...request, query: request.query ?? '' }, sink) }),
      }),
    }),
  ],
});

${documentCode(parts)}
client.subscription(document, variables).subscribe(({ data, error }) => console.log(data, error));
`;
  }
  return `import { Client, fetchExchange, gql } from '@urql/core';

const client = new Client({
  url: ${quote(endpoint(parts))},
  exchanges: [fetchExchange],
  preferGetMethod: false,
  fetchOptions: {
    headers: ${headersCode(parts, '    ')},
  },
});

${documentCode(parts)}
const { data, error } = await client.${parts.kind === 'mutation' ? 'mutation' : 'query'}(document, variables).toPromise();
`;
}

function graphqlRequestCode(parts: SnippetParts): string {
  return `import { gql, GraphQLClient } from 'graphql-request';

const client = new GraphQLClient(${quote(endpoint(parts))}, {
  headers: ${headersCode(parts, '  ')},
});

${documentCode(parts)}
const data = await client.request(document, variables);
`;
}

function pythonCode(parts: SnippetParts): string {
  const { headers, headerPrefix, sendsSecret, operationName } = parts;
  const entries = [
    ...(sendsSecret ? [`    ${JSON.stringify(`${headerPrefix}admin-secret`)}: os.environ["ADMIN_SECRET"],\n`] : []),
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`),
  ];
  const query = parts.query.trim().replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  const name = operationName === undefined ? '' : `, "operationName": ${JSON.stringify(operationName)}`;
  return `import json
${sendsSecret ? 'import os\n' : ''}
import requests

query = """
${query}
"""
variables = json.loads(${pythonText(variablesCode(parts))})
headers = {
${entries.join('')}}

body = {"query": query, "variables": variables${name}}
response = requests.post(${JSON.stringify(endpoint(parts))}, json=body, headers=headers, timeout=30)
print(response.json())
`;
}

/** A string literal: the escapes of JSON are those of Python too. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
