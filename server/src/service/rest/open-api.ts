/** The OpenAPI document of the REST endpoints that a role may call. */
import type { Session } from '../../auth/session.ts';
import type { Model } from '../../model/model.ts';
import type { RestRoute } from '../../model/types/stored-operation.ts';
import { createSchemaWriter } from '../../plan/document/json-schema.ts';
import { type StoredShape, storedShape } from '../../plan/document/stored-shape.ts';
import { roleSchema } from '../../schema/role-schema.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiSettings {
  readonly version: string;
  readonly stringifyNumerics: boolean;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
}

/** OpenAPI 3.0. */
export function openApiDocument(model: Model, { role, backend }: Session, settings: OpenApiSettings): Json {
  const { version, stringifyNumerics, sessionPrefix } = settings;
  const visible = roleSchema(model, role, backend);
  const writer = createSchemaWriter(visible.schema, stringifyNumerics);
  const paths = new Map<string, Record<string, unknown>>();
  for (const route of model.stored.routes) {
    const shape = storedShape(visible, route.query, writer);
    if (shape === undefined) continue;
    const path = `/api/rest/${route.segments.map((one) => (one.kind === 'text' ? one.text : `{${one.name}}`)).join('/')}`;
    const operations = paths.get(path) ?? {};
    for (const method of route.methods) operations[method.toLowerCase()] = operation(route, method, shape);
    paths.set(path, operations);
  }
  return {
    openapi: '3.0.3',
    info: { title: 'REST endpoints', version, description: `What the role ${role} may call.` },
    paths: Object.fromEntries([...paths].sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      schemas: { ...Object.fromEntries(writer.components), [ERROR]: errorSchema },
      securitySchemes: {
        adminSecret: { type: 'apiKey', in: 'header', name: `${sessionPrefix}admin-secret` },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    security: [{}, { adminSecret: [] }, { token: [] }],
  };
}

/** Has a dot, so that no GraphQL type has the same name. */
const ERROR = 'rest.error';

const errorSchema: Json = {
  type: 'object',
  properties: { path: { type: 'string' }, error: { type: 'string' }, code: { type: 'string' }, internal: {} },
  required: ['path', 'error', 'code'],
};

function operation({ name, comment, segments }: RestRoute, method: string, shape: StoredShape): Json {
  const inPath = new Set(segments.flatMap((segment) => (segment.kind === 'variable' ? [segment.name] : [])));
  const declared = new Map(shape.variables.map((variable) => [variable.name, variable]));
  const others = shape.variables.filter((variable) => !inPath.has(variable.name));
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const parameters = [
    ...[...inPath].map((variable) => ({
      name: variable,
      in: 'path',
      required: true,
      schema: declared.get(variable)?.schema ?? { type: 'string' },
    })),
    ...(takesBody ? [] : others.map(inQuery)),
  ];
  return {
    operationId: `${name}.${method.toLowerCase()}`,
    summary: name,
    ...(comment !== undefined && { description: comment }),
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && others.length > 0 && { requestBody: bodyOf(others) }),
    responses: {
      200: { description: 'The data of the operation.', content: { 'application/json': { schema: shape.response } } },
      default: {
        description: 'What went wrong.',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR}` } } },
      },
    },
  };
}

type Variable = StoredShape['variables'][number];

/** A JSON value in a query string has a media type. */
function inQuery({ name, required, form, list, schema }: Variable): Json {
  const base = { name, in: 'query', required };
  return form === 'json' && !list ? { ...base, content: { 'application/json': { schema } } } : { ...base, schema };
}

function bodyOf(variables: readonly Variable[]): Json {
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(variables.map((variable) => [variable.name, variable.schema])),
    ...(required.length > 0 && { required }),
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}
