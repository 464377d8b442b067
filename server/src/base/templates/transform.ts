/** Parses request and response transforms, and collects the errors of their templates. */
import { memberPath } from '../json-value.ts';
import { KritiError } from './kriti/error.ts';
import { evaluateTemplate, type KritiInput } from './kriti/evaluate.ts';
import { FunctionError, type KritiFunction } from './kriti/functions.ts';
import { parseTemplate, parseTextTemplate } from './kriti/parser.ts';
import type { Template } from './kriti/syntax.ts';

/** The transform in the metadata, whose schema is in the package metadata. */
export interface WrittenRequestTransform {
  readonly method?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly query_params?: string | Readonly<Record<string, string | null>> | null | undefined;
  readonly content_type?: string | null | undefined;
  readonly request_headers?:
    | {
        readonly add_headers?: Readonly<Record<string, string>> | null | undefined;
        readonly remove_headers?: readonly string[] | null | undefined;
      }
    | null
    | undefined;
  readonly body?: WrittenBody | string | null | undefined;
}

export type WrittenBody =
  | { readonly action: 'remove' }
  | { readonly action: 'transform'; readonly template: string }
  | { readonly action: 'x_www_form_urlencoded'; readonly form_template: Readonly<Record<string, string>> };

export interface WrittenResponseTransform {
  readonly body?: WrittenBody | string | null | undefined;
  readonly errors?:
    | readonly {
        readonly status: number | string | readonly (number | string)[];
        readonly body: Extract<WrittenBody, { action: 'transform' }>;
      }[]
    | undefined;
}

type Named<Value> = readonly (readonly [name: string, value: Value])[];

export type Body =
  | { readonly kind: 'remove' }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'form'; readonly fields: Named<Template> };

export interface RequestTransform {
  readonly method: string | undefined;
  readonly url: Template | undefined;
  readonly query: Template | readonly { readonly name: Template; readonly value: Template | undefined }[] | undefined;
  readonly contentType: string | undefined;
  readonly addHeaders: Named<Template>;
  /** In lower case. */
  readonly removeHeaders: readonly string[];
  readonly body: Body | undefined;
}

export interface ResponseTransform {
  readonly body: Body | undefined;
  /** Undefined: `body` applies to responses of every status. */
  readonly errors: readonly { readonly statuses: readonly string[]; readonly template: Template }[] | undefined;
}

/** The error of one template. */
export interface TemplateIssue {
  /** The path from the transform, such as `.body.template`. */
  readonly path: string;
  readonly message: string;
  /** The error in the format of existing tools. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Some templates cannot be parsed or evaluated. */
export class TemplateError extends Error {
  readonly issues: readonly TemplateIssue[];

  constructor(issues: readonly TemplateIssue[]) {
    super(issues.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; '));
    this.name = 'TemplateError';
    this.issues = issues;
  }
}

/** Collects the errors of several templates, so that all are reported at once. */
export class IssueCollector {
  readonly #issues: TemplateIssue[] = [];

  /** Returns the result of `act`; undefined when it throws a TemplateError. */
  collect<Result>(path: string, act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (error instanceof KritiError) this.#issues.push(issueOf(path, error));
      else if (error instanceof TemplateError) this.#issues.push(...error.issues);
      else throw error;
      return undefined;
    }
  }

  /** Throws a TemplateError if there were any. */
  check(): void {
    if (this.#issues.length > 0) throw new TemplateError(this.#issues);
  }
}

function issueOf(path: string, error: KritiError): TemplateIssue {
  const { start_line: line, start_column: column } = error.position;
  const message = `line ${line + 1}, column ${column}: ${error.message}`;
  return { path, message, shown: { ...error.toJSON() } };
}

/** An error in the result of a template, without a position in it. */
export function resultError(path: string, message: string): TemplateError {
  return new TemplateError([{ path, message, shown: { error_code: 'TransformationError', message } }]);
}

/** Parses the templates. Throws a TemplateError with all parse errors. */
export function readRequestTransform(written: WrittenRequestTransform): RequestTransform {
  const issues = new IssueCollector();
  const text = (path: string, template: string) => issues.collect(path, () => parseTextTemplate(template));
  const { url, query_params: query, request_headers: headers } = written;
  const read = {
    method: written.method?.toUpperCase(),
    url: typeof url === 'string' ? text('.url', url) : undefined,
    query: typeof query === 'string' ? text('.query_params', query) : readQuery(query, text),
    contentType: written.content_type ?? undefined,
    addHeaders: readNamed(headers?.add_headers, '.request_headers.add_headers', text),
    removeHeaders: (headers?.remove_headers ?? []).map((name) => name.toLowerCase()),
    body: readBody(written.body, issues),
  };
  issues.check();
  return read;
}

/** Parses the templates. Throws as `readRequestTransform` does. */
export function readResponseTransform(written: WrittenResponseTransform): ResponseTransform {
  const issues = new IssueCollector();
  const body = readBody(written.body, issues);
  const errors = written.errors?.flatMap(({ status, body: { template } }, index) => {
    const parsed = issues.collect(`.errors[${index}].body.template`, () => parseTemplate(template));
    return parsed === undefined ? [] : [{ statuses: [status].flat().map(String), template: parsed }];
  });
  issues.check();
  return { body, errors };
}

type ReadText = (path: string, template: string) => Template | undefined;

function readQuery(
  query: Readonly<Record<string, string | null>> | null | undefined,
  text: ReadText,
): { name: Template; value: Template | undefined }[] | undefined {
  if (query === null || query === undefined) return undefined;
  return Object.entries(query).flatMap(([key, value]) => {
    const path = memberPath('.query_params', key);
    const name = text(path, key);
    return name === undefined ? [] : [{ name, value: value === null ? undefined : text(path, value) }];
  });
}

function readNamed(
  templates: Readonly<Record<string, string>> | null | undefined,
  path: string,
  text: ReadText,
): Named<Template> {
  return Object.entries(templates ?? {}).flatMap(([name, template]) => {
    const parsed = text(memberPath(path, name), template);
    return parsed === undefined ? [] : [[name, parsed] as const];
  });
}

function readBody(written: WrittenRequestTransform['body'], issues: IssueCollector): Body | undefined {
  if (written === null || written === undefined) return undefined;
  if (typeof written === 'string') return readTemplate('.body', written, issues);
  switch (written.action) {
    case 'remove':
      return { kind: 'remove' };
    case 'transform':
      return readTemplate('.body.template', written.template, issues);
    case 'x_www_form_urlencoded': {
      const text: ReadText = (path, template) => issues.collect(path, () => parseTextTemplate(template));
      return { kind: 'form', fields: readNamed(written.form_template, '.body.form_template', text) };
    }
    default:
      return written satisfies never;
  }
}

function readTemplate(path: string, text: string, issues: IssueCollector): Body | undefined {
  const template = issues.collect(path, () => parseTemplate(text));
  return template && { kind: 'template', template };
}

/** Names in lower case. */
export type SessionVariables = Readonly<Record<string, string>>;

/** Returns the variables of templates, and the function that looks up session variables by case-insensitive name. */
export function templateInput(variables: Readonly<Record<string, unknown>>, session: SessionVariables): KritiInput {
  const getSessionVariable: KritiFunction = (name) => {
    if (name === null) return null;
    if (typeof name !== 'string') throw new FunctionError('Session variable name should be a string');
    const key = name.toLowerCase();
    const value = Object.hasOwn(session, key) ? session[key] : undefined;
    if (value === undefined) throw new FunctionError(`Session variable "${name}" not found`);
    return value;
  };
  return { variables: { ...variables, $session_variables: session }, functions: { getSessionVariable } };
}

/** Evaluates a template of text. Throws KritiError. */
export function renderText(template: Template, input: KritiInput): string {
  return String(evaluateTemplate(template, input));
}

/** Returns the encoded form. Omits fields with a value of null. Throws a TemplateError that names all templates that fail. */
export function renderForm(fields: Named<Template>, input: KritiInput): string {
  const issues = new IssueCollector();
  const rendered = fields.map(([name, template]) => {
    const value = issues.collect(memberPath('.body.form_template', name), () => renderText(template, input));
    return [name, value ?? ''] as const;
  });
  issues.check();
  return formEncoded(rendered.filter(([, value]) => value !== 'null'));
}

/** Prints `name=value&...`, both percent-encoded; the name alone if it has no value. */
export function formEncoded(fields: readonly (readonly [name: string, value: string | undefined])[]): string {
  return fields
    .map(([name, value]) => (value === undefined ? encode(name) : `${encode(name)}=${encode(value)}`))
    .join('&');
}

/** Percent-encodes the text, with lone surrogates replaced by the replacement character. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
