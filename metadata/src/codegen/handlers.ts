/** Generated handlers: one function per action, the error class, and the HTTP server. */
import type { CallTypes } from './calls.ts';
import { comment, importOf, signature, wrapped } from './layout.ts';

export type Framework = 'node' | 'express';

/** A generated module. Imports of other generated modules are omitted if all are in one file. */
export interface Module {
  readonly file: string;
  /** Imports of packages. */
  readonly external: string;
  /** Imports of other generated modules. */
  readonly internal: string;
  readonly text: string;
}

/** Returns the module of an action's handler. `file` has no extension. */
export function handlerModule(call: CallTypes, file: string): Module {
  const { action, handler, batch } = call;
  const types = [call.response, ...(batch === undefined ? [] : [batch]), call.call].sort();
  const doc = comment([action.comment ?? undefined]);
  const text =
    batch === undefined
      ? `${doc}${signature('export async function', handler, `call: ${call.call}`, [call.response])}${body(action.name, 'call.input')}`
      : `${doc}${signature('export async function', handler, `call: ${call.call} | ${batch}`, [call.response, `${call.response}[]`])}` +
        `  if (!("inputs" in call)) return ${handler}One(call.input);\n` +
        `${wrapped('return Promise.all(', [`call.inputs.map((input) => ${handler}One(input))`], ');', '  ')}}\n\n` +
        signature('async function', `${handler}One`, `input: ${call.arguments}`, [call.response]) +
        body(action.name, 'input');
  const used = batch === undefined ? types : [...types, call.arguments].sort();
  return {
    file: `${file}.ts`,
    external: '',
    internal: importOf('import', ['Refused'], './refused.js') + importOf('import type', used, './types.js'),
    text,
  };
}

function body(action: string, input: string): string {
  const log = wrapped('console.log(', [`"${action}"`, input], ');', '  ');
  return `${log}${wrapped('throw new Refused(', [`"${action} is not written yet"`], ');', '  ')}}\n`;
}

export const errorModule: Module = {
  file: 'refused.ts',
  external: '',
  internal: '',
  text: `/**
 * The error of a handler for the client. With a status from 400 to 499 the client receives the message,
 * the code and the extensions; with another status it receives "internal error".
 */
export class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly extensions: { [name: string]: unknown } | undefined;

  constructor(
    message: string,
    more: {
      status?: number;
      code?: string;
      extensions?: { [name: string]: unknown };
    } = {},
  ) {
    super(message);
    this.status = more.status ?? 400;
    this.code = more.code;
    this.extensions = more.extensions;
  }
}
`,
};

/** Returns the module of the HTTP server; `files` are the handler modules without extension. */
export function serverModule(calls: readonly CallTypes[], files: readonly string[], framework: Framework): Module {
  const entries = calls.map(({ action, handler }) => wrapped('[', [`"${action.name}"`, handler], '],', '  ')).join('');
  const imports = calls.map(({ handler }, index) => importOf('import', [handler], `./${files[index]}.js`)).join('');
  return {
    file: 'server.ts',
    external: framework === 'express' ? 'import express from "express";\n' : nodeImports,
    internal: imports + importOf('import', ['Refused'], './refused.js'),
    text: `type Handler = (call: never) => Promise<unknown>;

/** Handlers by the name of the action, which is in the body of every call. */
const handlers = new Map<string, Handler>([
${entries}]);

interface Answer {
  status: number;
  body: unknown;
}

async function answer(call: unknown): Promise<Answer> {
  const { action } = (call ?? {}) as { action?: { name?: unknown } };
  const handler = handlers.get(String(action?.name));
  if (handler === undefined) {
    return { status: 404, body: { message: "the action is not known" } };
  }
  try {
    return { status: 200, body: (await handler(call as never)) ?? null };
  } catch (error) {
    if (error instanceof Refused) {
      const { status, message, code, extensions } = error;
      return { status, body: { message, code, extensions } };
    }
    console.error(error);
    return { status: 500, body: { message: "internal error" } };
  }
}

${framework === 'express' ? expressServer : nodeServer}`,
  };
}

const expressServer = `const app = express();
app.use(express.json({ limit: "1mb" }));
app.use(async (request, response) => {
  const { status, body } = await answer(request.body);
  response.status(status).json(body);
});
app.listen(Number(process.env.PORT ?? 3000));
`;

const nodeImports = 'import { createServer, type IncomingMessage } from "node:http";\n';

const nodeServer = `const longest = 1_000_000;

/** Returns undefined if the body is too long or is not JSON. */
async function read(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Buffer).length;
    if (length <= longest) parts.push(part as Buffer);
  }
  if (length > longest) return undefined;
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    return undefined;
  }
}

async function respond(request: IncomingMessage): Promise<Answer> {
  const call = await read(request);
  if (call === undefined) {
    return { status: 400, body: { message: "the body must be JSON" } };
  }
  return answer(call);
}

const server = createServer((request, response) => {
  respond(request).then(
    ({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    },
    () => response.destroy(),
  );
});
server.listen(Number(process.env.PORT ?? 3000));
`;
