/** The templates of a target: its inputs and session variables, filled from the body that a webhook would receive. */
import type { TargetInputs } from '@joinery/metadata/schema/events/targets';
import { isJsonObject, memberPath } from '../../base/json-value.ts';
import { KritiError } from '../../base/templates/kriti/error.ts';
import { evaluateTemplate, type KritiInput } from '../../base/templates/kriti/evaluate.ts';
import { parseTemplate, parseTextTemplate } from '../../base/templates/kriti/parser.ts';
import type { Template } from '../../base/templates/kriti/syntax.ts';
import { IssueCollector, renderText, resultError } from '../../base/templates/transform.ts';

/** Parsed inputs. */
export type Inputs =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'template'; readonly path: string; readonly template: Template }
  | { readonly kind: 'text'; readonly path: string; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly Inputs[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Inputs])[] };

/** Parses the templates. Throws a TemplateError with all parse errors, whose paths start with `path`. */
export function readInputs(written: TargetInputs, path: string): Inputs {
  const issues = new IssueCollector();
  const inputs: Inputs | undefined =
    typeof written === 'string'
      ? issues.collect(path, () => ({ kind: 'template', path, template: parseTemplate(written) }))
      : readValue(written, path, issues);
  issues.check();
  return inputs ?? { kind: 'constant', value: {} };
}

function readValue(written: unknown, path: string, issues: IssueCollector): Inputs {
  if (typeof written === 'string') {
    return issues.collect(path, () => readText(written, path)) ?? { kind: 'constant', value: null };
  }
  if (Array.isArray(written)) {
    return { kind: 'list', items: written.map((item, index) => readValue(item, `${path}[${index}]`, issues)) };
  }
  if (!isJsonObject(written)) return { kind: 'constant', value: written };
  const members = Object.entries(written).map(([name, member]): readonly [string, Inputs] => {
    return [name, readValue(member, memberPath(path, name), issues)];
  });
  return { kind: 'object', members };
}

/** Parses the template of a string. The result of a single expression has the type of its value. */
function readText(written: string, path: string): Inputs {
  if (!written.includes('{{')) return { kind: 'constant', value: written };
  if (/^\s*\{\{.*\}\}\s*$/s.test(written)) {
    try {
      return { kind: 'template', path, template: parseTemplate(written) };
    } catch (error) {
      if (!(error instanceof KritiError)) throw error;
    }
  }
  return { kind: 'text', path, template: parseTextTemplate(written) };
}

/** The names of the inputs if all are known before the template is evaluated; undefined otherwise. */
export function inputNames(inputs: Inputs | undefined): ReadonlySet<string> | undefined {
  if (inputs === undefined) return new Set();
  if (inputs.kind === 'object') return new Set(inputs.members.map(([name]) => name));
  const root = inputs.kind === 'template' ? inputs.template.root : undefined;
  return root?.kind === 'object' ? new Set(root.members.map(({ name }) => name)) : undefined;
}

/** Evaluates the templates. Throws a TemplateError with all errors, and where the result is not an object. */
export function renderInputs(inputs: Inputs | undefined, path: string, input: KritiInput): Record<string, unknown> {
  if (inputs === undefined) return {};
  const issues = new IssueCollector();
  const value = renderValue(inputs, input, issues);
  issues.check();
  if (isJsonObject(value)) return { ...value };
  throw resultError(path, 'the result of the template must be an object');
}

function renderValue(inputs: Inputs, input: KritiInput, issues: IssueCollector): unknown {
  switch (inputs.kind) {
    case 'constant':
      return inputs.value;
    case 'template':
      return issues.collect(inputs.path, () => evaluateTemplate(inputs.template, input));
    case 'text':
      return issues.collect(inputs.path, () => renderText(inputs.template, input));
    case 'list':
      return inputs.items.map((item) => renderValue(item, input, issues));
    case 'object':
      return Object.fromEntries(inputs.members.map(([name, value]) => [name, renderValue(value, input, issues)]));
    default:
      return inputs satisfies never;
  }
}

/** Templates of strings by name. */
export type TextTemplates = readonly (readonly [name: string, template: Template])[];

/** Parses templates of strings. Throws a TemplateError with all parse errors. */
export function readTexts(written: Readonly<Record<string, string>>, path: string): TextTemplates {
  const issues = new IssueCollector();
  const read = Object.entries(written).flatMap(([name, text]) => {
    const template = issues.collect(memberPath(path, name), () => parseTextTemplate(text));
    return template === undefined ? [] : [[name, template] as const];
  });
  issues.check();
  return read;
}

/** Evaluates templates of strings. Throws a TemplateError with all errors. */
export function renderTexts(templates: TextTemplates, path: string, input: KritiInput): [name: string, text: string][] {
  const issues = new IssueCollector();
  const rendered = templates.map(([name, template]): [string, string] => {
    return [name, issues.collect(memberPath(path, name), () => renderText(template, input)) ?? ''];
  });
  issues.check();
  return rendered;
}
