/** The endpoints of docs/public/openapi.json as sections of a documentation page. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Header {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
}

interface Parameter extends Header {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface ResponseObject {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: NonNullable<Operation['security']>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Follows a reference within the document. */
export function resolved<Item extends { readonly $ref?: string }>(document: OpenApi, item: Item): Item {
  if (item.$ref === undefined) return item;
  const [, , kind = '', name = ''] = item.$ref.split('/');
  const target = document.components[kind]?.[name];
  if (target === undefined) throw new Error(`there is no ${item.$ref}`);
  return target as Item;
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function endpointsOf({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** A section for each tag, with a section for each operation. */
export function endpointSections(document: OpenApi): string {
  return document.tags
    .map(({ name, description }) => {
      const endpoints = endpointsOf(document).filter(({ operation }) => operation.tags.includes(name));
      return [`## ${name}`, description, ...endpoints.map((one) => endpointSection(document, one))].join('\n\n');
    })
    .join('\n\n');
}

function endpointSection(document: OpenApi, { method, path, operation }: Endpoint): string {
  const { summary, description, requestBody } = operation;
  const parts = [
    `### \`${method} ${path}\``,
    [`${summary}.`, description, callers(document, operation)].filter((one) => one !== undefined).join(' '),
    parameterTable(document, operation),
    requestBody === undefined
      ? undefined
      : `Body: ${bodies(requestBody.content)}.${requestBody.description === undefined ? '' : ` ${requestBody.description}`}`,
    responseTable(document, operation),
  ];
  return parts.filter((one) => one !== undefined).join('\n\n');
}

function callers(document: OpenApi, { security = document.security }: Operation): string {
  if (security.length === 0) return 'No authentication.';
  if (security.some((one) => 'metricsSecret' in one))
    return 'With `JOINERY_METRICS_SECRET`, callers need it as a bearer token.';
  return security.some((one) => Object.keys(one).length === 0) ? 'For every role.' : 'For admins.';
}

function parameterTable(document: OpenApi, { parameters = [] }: Operation): string | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((given) => {
    const { name, in: place, required = false, description = '', schema } = resolved(document, given);
    return `| \`${name}\` | ${place} | ${typeOf(schema)} | ${required ? 'yes' : 'no'} | ${description} |`;
  });
  return ['| parameter | in | type | required | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

function responseTable(document: OpenApi, { responses }: Operation): string {
  // The same error has one row for its statuses.
  const groups = new Map<string, { readonly statuses: string[]; readonly given: ResponseObject }>();
  for (const [status, given] of Object.entries(responses)) {
    const key = given.$ref ?? status;
    const group = groups.get(key) ?? { statuses: [], given };
    group.statuses.push(status.replace('XX', '..'));
    groups.set(key, group);
  }
  const rows = [...groups.values()].map(({ statuses, given }) => {
    const { description, content, headers = {} } = resolved(document, given);
    const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
    const types = content === undefined ? '' : bodies(content);
    return `| ${statuses.join(', ')} | ${types} | ${names.map((name) => `\`${name}\``).join(', ')} | ${description} |`;
  });
  return ['| status | body | headers | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function bodies(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const members = membersOf(schema);
      return `\`${type}\`${members === '' ? '' : ` (${members})`}`;
    })
    .join(', ');
}

/** The names of the members; those of components have a table at the end of the page. */
function membersOf({ $ref, oneOf, items, properties = {} }: Schema): string {
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (oneOf !== undefined) return oneOf.map(membersOf).join(' or ');
  if (items !== undefined) return `list of ${membersOf(items)}`;
  return Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

/** A section for each named schema. */
export function schemaSections({ components }: OpenApi): string {
  const schemas = Object.entries((components.schemas ?? {}) as Readonly<Record<string, SchemaWithMembers>>);
  const sections = schemas.map(([name, { properties = {}, required = [] }]) => {
    const rows = Object.entries(properties).map(
      ([member, schema]) =>
        `| \`${member}\` | ${typeOf(schema)} | ${required.includes(member) ? 'yes' : 'no'} | ${schema.description ?? ''} |`,
    );
    return [`### ${name}`, '', '| member | type | required | meaning |', '|---|---|---|---|', ...rows].join('\n');
  });
  return ['## Schemas', ...sections].join('\n\n');
}

interface SchemaWithMembers {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema & { readonly description?: string }>>;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined || schema.items !== undefined) return membersOf(schema) || 'list';
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.type === undefined) return 'any JSON';
  return typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
}
