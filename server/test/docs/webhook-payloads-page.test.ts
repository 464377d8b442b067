/**
 * docs/webhook-payloads.md has the headers and the members of every request that the service sends, as they arrive.
 * `JOINERY_UPDATE_EXAMPLES=1` writes the tables and the examples; the column with the meaning is kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HandlerCall } from '../support/http/handler-server.ts';
import { layOut, shapeOf } from './example-responses.ts';
import { type GeneratedTable, rowsWithoutText, withTable } from './page-tables.ts';
import { captureDeliveries, type Deliveries } from './webhook-deliveries.ts';

const file = fileURLToPath(new URL('../../../docs/webhook-payloads.md', import.meta.url));
const updates = process.env.JOINERY_UPDATE_EXAMPLES === '1';

/** Headers of every HTTP request, and one that the client of the test sends. */
const unlisted = new Set(['host', 'connection', 'content-length', 'sec-fetch-mode']);
/** Members whose own members depend on the table, the action, the caller or the operation. */
const opaque = new Set([
  'payload',
  'new',
  'old',
  'session_variables',
  'input',
  'inputs',
  'headers',
  'variables',
  'trace_context',
]);

let deliveries: Deliveries;

beforeAll(async () => {
  deliveries = await captureDeliveries();
});

function tables(): readonly GeneratedTable[] {
  return Object.entries(deliveries).flatMap(([kind, calls]) => {
    const headers = { heading: `Headers of ${kind}`, columns: ['header', 'meaning'], rows: headerRows(calls) };
    const rows = memberRows(calls);
    const body = { heading: `Body of ${kind}`, columns: ['member', 'type', 'meaning'], rows };
    return rows.length === 0 ? [headers] : [headers, body];
  });
}

function headerRows(calls: readonly HandlerCall[]): readonly (readonly string[])[] {
  const names = new Set(calls.flatMap(({ headers }) => Object.keys(headers)));
  return [...names].filter((name) => !unlisted.has(name)).map((name) => [`\`${name}\``]);
}

/** A row for each member, with the types that it has in the calls. */
function memberRows(calls: readonly HandlerCall[]): readonly (readonly string[])[] {
  const types = new Map<string, Set<string>>();
  const add = (value: unknown, path: string): void => {
    for (const [name, member] of Object.entries(value as object)) {
      const known = types.get(path + name) ?? new Set();
      known.add(typeOf(member));
      types.set(path + name, known);
      if (typeOf(member) === 'object' && !opaque.has(name)) add(member, `${path}${name}.`);
    }
  };
  for (const call of calls.filter(({ text }) => text !== '')) {
    const body = JSON.parse(call.text) as unknown;
    if (Array.isArray(body)) for (const element of body) add(element, '[].');
    else add(body, '');
  }
  return [...types].map(([path, all]) => [`\`${path}\``, [...all].sort().reverse().join(' or ')]);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** The examples of a kind: the first delivery of each variant. */
function examplesOf(kind: string): readonly unknown[] {
  const bodies = (deliveries[kind] ?? []).flatMap(({ text }) => (text === '' ? [] : [JSON.parse(text) as Body]));
  // Events arrive in any order.
  bodies.sort((one, other) => (createdAt(one) < createdAt(other) ? -1 : createdAt(one) > createdAt(other) ? 1 : 0));
  const variants = new Map<string, Body>();
  for (const body of bodies) if (!variants.has(variantOf(body))) variants.set(variantOf(body), body);
  return [...variants.values()].map(shortened);
}

interface Body {
  readonly created_at?: string;
  readonly event?: { readonly op: string };
}

function createdAt(body: Body): string {
  return (Array.isArray(body) ? (body as readonly Body[])[0] : body)?.created_at ?? '';
}

/** The operation of an event; for others what the body consists of. Lists have one variant. */
function variantOf(body: Body): string {
  return Array.isArray(body) ? 'list' : (body.event?.op ?? JSON.stringify(shapeOf(body)));
}

/** The document of an introspection has 80 lines. */
function shortened(body: unknown): unknown {
  const { query } = body as { readonly query?: unknown };
  return typeof query === 'string' && query.length > 200
    ? { ...(body as object), query: 'query IntrospectionQuery { ... }' }
    : body;
}

const block = /^```json delivery\n([\s\S]*?)^```\n/gm;

function withExamples(page: string, kind: string): string {
  const examples = examplesOf(kind);
  if (examples.length === 0) return page;
  const sections = page.split(/^(?=#{2,4} )/m);
  const at = sections.findIndex((section) => section.startsWith(`### Body of ${kind}\n`));
  const section = (sections[at] ?? '').replace(block, '').trimEnd();
  const blocks = examples.map((one) => `\`\`\`json delivery\n${layOut(one)}\n\`\`\`\n`);
  sections[at] = `${[section, ...blocks].join('\n\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
  return sections.join('');
}

it('docs/webhook-payloads.md has every header and every member of the deliveries', () => {
  const page = tables().reduce(withTable, readFileSync(file, 'utf8'));
  if (updates) writeFileSync(file, `${Object.keys(deliveries).reduce(withExamples, page).trimEnd()}\n`);
  expect(tables().reduce(withTable, readFileSync(file, 'utf8'))).toBe(readFileSync(file, 'utf8'));
});

it('each header and member of docs/webhook-payloads.md has a meaning', () => {
  const page = readFileSync(file, 'utf8');
  expect(tables().flatMap((table) => rowsWithoutText(page, table))).toEqual([]);
});

it('docs/webhook-payloads.md has the method of each request', () => {
  const page = readFileSync(file, 'utf8');
  const missing = Object.entries(deliveries).filter(([kind, [call]]) => {
    const section = page.split(/^(?=## )/m).find((one) => one.includes(`### Headers of ${kind}\n`)) ?? '';
    return !section.includes(`\`${call?.method}\``);
  });
  expect(missing.map(([kind]) => kind)).toEqual([]);
});

describe('the examples of docs/webhook-payloads.md', () => {
  it('have the shapes of real deliveries', () => {
    const sections = readFileSync(file, 'utf8').split(/^(?=#{2,4} )/m);
    const shown = Object.keys(deliveries).map((kind) => {
      const section = sections.find((one) => one.startsWith(`### Body of ${kind}\n`)) ?? '';
      return [kind, [...section.matchAll(block)].map(([, text = '']) => shapeOf(JSON.parse(text)))];
    });
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.keys(deliveries).map((kind) => [kind, examplesOf(kind).map(shapeOf)])),
    );
  });
});
