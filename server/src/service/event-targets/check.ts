/** Validates the targets of events: saved operations and functions. */
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, DEFAULT_SOURCE } from '@joinery/metadata/names';
import type { CallTarget, FunctionTarget, OperationTarget } from '@joinery/metadata/schema/events/targets';
import type { StoredQuery } from '@joinery/metadata/schema/stored-operations';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { memberPath } from '../../base/json-value.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import { inputNames } from '../../events/targets/inputs.ts';
import { type ParsedTarget, parseTarget } from '../../events/targets/target.ts';
import type { Model } from '../../model/model.ts';
import type { ResolveInput } from '../../model/types/draft.ts';
import { holdsOperation, problemsOf, storedVariables } from '../../plan/document/stored.ts';
import { prepare } from '../../plan/operation.ts';
import { type CatalogFunction, relationKey } from '../../postgres/catalog/catalog-types.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { sessionOfTarget, variableName } from './session.ts';

/** What a target may refer to. */
export interface TargetScope {
  readonly metadata: Metadata;
  readonly model: Model;
  readonly external: Pick<ResolveInput, 'catalogs'>;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
}

/** Throws a ServiceError with a path in the target, which is `$`. */
export function checkTarget(target: CallTarget, scope: TargetScope): void {
  const parsed = parsedTarget(target);
  if (parsed.kind === 'operation') checkOperation(parsed.written, parsed, scope);
  else checkFunction(parsed.written, parsed, scope);
}

function invalid(code: ErrorCode, path: string, message: string): ServiceError {
  return new ServiceError(code, message, { path });
}

function parsedTarget(target: CallTarget): ParsedTarget {
  try {
    return parseTarget(target);
  } catch (error) {
    const [issue] = error instanceof TemplateError ? error.issues : [];
    throw issue === undefined ? error : invalid('validation-failed', `$${issue.path}`, issue.message);
  }
}

/** Returns the saved operation. Throws `not-exists`. */
export function savedOperation(
  { collection, name }: OperationTarget,
  metadata: Pick<Metadata, 'query_collections'>,
): string {
  const found = (metadata.query_collections ?? []).find((one) => one.name === collection);
  if (found === undefined) {
    throw invalid('not-exists', '$.operation.collection', `query collection "${collection}" does not exist`);
  }
  const query = found.definition.queries.find((one: StoredQuery) => one.name === name);
  if (query !== undefined) return query.query;
  throw invalid('not-exists', '$.operation.name', `query collection "${collection}" has no query "${name}"`);
}

function checkOperation(operation: OperationTarget, { inputs }: ParsedTarget, scope: TargetScope): void {
  const { metadata, model, sessionPrefix } = scope;
  const text = savedOperation(operation, metadata);
  const { role, name } = operation;
  if (role !== ADMIN_ROLE && !model.roles.has(role)) {
    throw invalid('not-exists', '$.operation.role', `no permission names the role "${role}"`);
  }
  for (const variable of Object.keys(operation.session_variables ?? {})) {
    const reason = variableName(variable, sessionPrefix).reason;
    if (reason !== undefined) {
      throw invalid('parse-failed', memberPath('$.operation.session_variables', variable), reason);
    }
  }
  const { backend } = sessionOfTarget(operation, Object.entries(operation.session_variables ?? {}), { sessionPrefix });
  const schema = roleSchema(model, role, backend);
  const at = '$.operation.name';
  const problems = problemsOf(schema, text);
  if (problems.length > 0) {
    throw invalid('validation-failed', at, `the role "${role}" cannot run "${name}": ${problems.join('; ')}`);
  }
  if (holdsOperation(text, 'subscription')) {
    throw invalid('not-supported', at, `"${name}" is a subscription; an event runs a query or a mutation`);
  }
  try {
    prepare(schema, text, undefined);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw invalid('validation-failed', at, `the role "${role}" cannot run "${name}": ${error.message}`);
  }
  const given = inputNames(inputs);
  if (given === undefined) return;
  const declared = storedVariables(schema, text);
  const known = new Set(declared.map((variable) => variable.name));
  for (const one of given) {
    if (!known.has(one)) {
      throw invalid(
        'validation-failed',
        inputPath('variables', one, operation.variables),
        `"${name}" declares no variable "${one}"`,
      );
    }
  }
  const missing = declared.find((variable) => variable.required && !given.has(variable.name));
  if (missing !== undefined) {
    const message = `the variable "${missing.name}" of type ${missing.type} is required`;
    throw invalid('validation-failed', '$.operation.variables', message);
  }
}

/** The members of a template of the whole object have no path of their own. */
function inputPath(member: 'variables' | 'arguments', name: string, written: unknown): string {
  const path = `$.${member === 'variables' ? 'operation' : 'function'}.${member}`;
  return typeof written === 'string' ? path : memberPath(path, name);
}

function unknownSource(source: string): ServiceError {
  return invalid('not-exists', '$.function.source', `source "${source}" does not exist`);
}

/** Returns the function. Throws `not-exists` and `not-supported`. */
export function calledFunction(
  { source = DEFAULT_SOURCE, function: { schema, name } }: FunctionTarget,
  { catalogs }: TargetScope['external'],
): CatalogFunction {
  const catalog = catalogs.get(source ?? DEFAULT_SOURCE);
  if (catalog === undefined) throw unknownSource(source ?? DEFAULT_SOURCE);
  if (catalog instanceof ServiceError) {
    throw invalid(catalog.code, '$.function.source', `source "${source}" could not be read: ${catalog.message}`);
  }
  const at = '$.function.function';
  const [found, other] = catalog.functions.get(relationKey(schema, name)) ?? [];
  if (found === undefined) {
    throw invalid('not-exists', at, `function "${schema}"."${name}" does not exist in source "${source}"`);
  }
  if (other !== undefined) {
    throw invalid(
      'not-supported',
      at,
      `function "${schema}"."${name}" is overloaded; call a function with a name of its own`,
    );
  }
  if (found.variadic) throw invalid('not-supported', at, `function "${schema}"."${name}" is variadic`);
  return found;
}

function checkFunction(target: FunctionTarget, { inputs }: ParsedTarget, { metadata, external }: TargetScope): void {
  const source = target.source ?? DEFAULT_SOURCE;
  // The catalog of a source that was removed may still be known.
  if (!metadata.sources.some(({ name }) => name === source)) throw unknownSource(source);
  const called = calledFunction(target, external);
  const given = inputNames(inputs);
  if (given === undefined) return;
  const known = new Set(called.arguments.map((argument) => argument.name).filter((name) => name !== ''));
  for (const one of given) {
    if (known.has(one)) continue;
    throw invalid('not-exists', inputPath('arguments', one, target.arguments), `the function has no argument "${one}"`);
  }
  const missing = called.arguments.find(({ name, hasDefault }) => !hasDefault && (name === '' || !given.has(name)));
  if (missing === undefined) return;
  if (missing.name === '') {
    throw invalid('not-supported', '$.function.function', 'the function has arguments without names; name them');
  }
  throw invalid('validation-failed', '$.function.arguments', `the argument "${missing.name}" is required`);
}
