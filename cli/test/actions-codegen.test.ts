/** Tests of `joinery actions codegen`: its output is formatted, compiles under strict settings, and runs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate, inOneModule } from '@joinery/metadata/codegen/generate';
import { Metadata } from '@joinery/metadata/metadata';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../server/test/support/http/free-port.ts';
import { startService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { type CodegenFlags, codegen } from '../src/commands/actions/codegen.ts';
import { readMetadataDirectory } from '../src/project/metadata-directory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const sdl = `
type Mutation {
  "Orders things. */ and nothing else"
  placeOrder(order: OrderInput!, note: String = "none", kinds: [Size!] = [S], at: timestamptz, big: bigint!): OrderResult!
  placeOrderAgainAndAgainUntilItHasReallyBeenPlaced(orderNumber: ID!): [[OrderResult!]]
  buildReport: Report
  delete: Boolean
}
type Query {
  find(by: By!): [Thing!]!
  named: Named
  getProfile(id: Int!): Profile
  tint(of: colors_enum!): geometry
}
input OrderInput { lines: [LineInput!]! parent: OrderInput rush: Boolean! = false }
input LineInput { sku: String! "how many" count: Int = 1 @deprecated(reason: "use sku") matrix: [[Float]] }
input By { size: Size! }
"Of shirts"
enum Size { S @deprecated M L_AS_LARGE_AS_ANY_SHIRT_COULD_POSSIBLY_BE_AND_THEN_SOME_MORE }
scalar Money_
type OrderResult { id: ID! total: Money_ parents: [OrderResult] size: Size tags: [String!]! first_very_long_member_name_of_all: [OrderResult!] }
type Report { rows: jsonb, made: Promise }
type Promise { at: timestamptz! }
type PlaceOrderArguments { mine: Boolean }
interface Named { name: String! }
union Thing = Book | Film
type Book implements Named { name: String! isbn: String @deprecated args: PlaceOrderArguments }
type Film implements Named { name: String! sequels: [Thing!] }
type Profile { user_id: Int! name: String }
`;
const actions = ['placeOrder', 'placeOrderAgainAndAgainUntilItHasReallyBeenPlaced', 'buildReport', 'delete'];
const batch = { to_action: { action: 'getProfile', arguments: { id: '$id' }, batch: {} } };
const handlers = [...actions, 'find', 'named', 'getProfile', 'tint'].map((name) => ({
  name,
  definition: {
    handler: 'http://127.0.0.1/h',
    ...(name === 'buildReport' && { kind: 'asynchronous' }),
    ...(name === 'find' && { request_transform: { version: 2, method: 'GET', template_engine: 'Kriti' } }),
  },
}));
const users = {
  table: { schema: 'public', name: 'users' },
  remote_relationships: [{ name: 'profile', definition: batch }],
};

let folder: string;
let metadata: Metadata;
let server: ChildProcess | undefined;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'joinery-metadata-'));
  await writeDirectory(dir, sdl, { actions: handlers });
  const source = { name: 'default', tables: [users] };
  metadata = Metadata.parse({ ...(await readMetadataDirectory(dir)), sources: [source] });
  await rm(dir, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-codegen-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'biome.json'), '{ "formatter": { "indentStyle": "space" } }');
});

afterEach(async () => {
  server?.kill();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const expressTypes = `declare module "express" {
  interface Request { body: unknown }
  interface Response { status(code: number): Response; json(body: unknown): Response }
  type Handler = (request: Request, response: Response) => void | Promise<void>;
  interface Application {
    use(handler: Handler): void;
    listen(port: number): void;
  }
  function express(): Application;
  namespace express { function json(options?: { limit?: string }): Handler }
  export default express;
}
`;

const compilerOptions = {
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  target: 'es2022',
  lib: ['es2022'],
  module: 'nodenext',
  typeRoots: [join(root, 'node_modules/@types')],
  types: ['node'],
};

/** Compiles the files under the strictest settings, with JavaScript output beside them. Returns the errors. */
async function compile(files: readonly string[]): Promise<string> {
  await writeFile(join(folder, 'express.d.ts'), expressTypes);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['express.d.ts', ...files] }),
  );
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/** Formats a file in the default style of Prettier. */
function formatted(path: string, text: string): string {
  const args = ['format', '--config-path', folder, `--stdin-file-path=${path}`];
  return execFileSync(join(root, 'node_modules/.bin/biome'), args, { cwd: folder, input: text, encoding: 'utf8' });
}

const flags = (more: Partial<CodegenFlags> = {}): CodegenFlags => ({ framework: 'node', project: folder, ...more });

async function written(): Promise<string[]> {
  return (await readdir(join(folder, 'out'))).sort().map((file) => join(folder, 'out', file));
}

async function writeDirectory(dir: string, signatures: string, yaml: object): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'version.yaml'), 'version: 3\n');
  await writeFile(join(dir, 'actions.graphql'), signatures);
  await writeFile(join(dir, 'actions.yaml'), JSON.stringify(yaml));
}

async function writeModules(modules: ReturnType<typeof generate>): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { file, external, internal, text } of modules) {
    const imports = `${external}${internal}`;
    paths.push(join(folder, file));
    await writeFile(join(folder, file), imports === '' ? text : `${imports}\n${text}`);
  }
  return paths;
}

test.each(['node', 'express'] as const)('modules for %s compile and are formatted', async (framework) => {
  const paths = await writeModules(generate(metadata, { framework, allTypes: true }, 'X-Service-'));
  expect(await compile(paths)).toBe('');
  for (const path of paths) {
    const text = await readFile(path, 'utf8');
    expect(formatted(path, text)).toBe(text);
  }
});

test('standard output is one module that compiles and is formatted', async () => {
  const path = join(folder, 'all.ts');
  const text = inOneModule(generate(metadata, { framework: 'node' }, 'X-Service-'));
  await writeFile(path, text);
  expect(await compile([path])).toBe('');
  expect(formatted(path, text)).toBe(text);
});

test('types describe the input and the possible responses of a handler', async () => {
  const [types] = generate(metadata, { framework: 'node', typesOnly: true }, 'X-Acme-');
  const text = types?.text ?? '';
  await writeFile(join(folder, 'types.ts'), text);
  const using = `import type {
  BuildReportCall, DeleteCall, FindAnswer, GetProfileBatchCall, NamedAnswer, PlaceOrderAnswer, PlaceOrderArguments2,
  PlaceOrderCall, SessionVariables,
} from "./types.js";
export function typed(call: PlaceOrderCall, batch: GetProfileBatchCall, session: SessionVariables, none: DeleteCall) {
  const note: string | null = call.input.note;
  const first: number | null | undefined = call.input.order.lines[0]?.count;
  const rush: boolean = call.input.order.rush;
  const name: "placeOrder" = call.action.name;
  const ids: number[] = batch.inputs.map(({ id }) => id);
  const role: string = session["x-acme-role"];
  const later: BuildReportCall["request_query"] = null;
  const big: string | number = call.input.big;
  return [note, first, rush, name, ids, role, later, big, none.input];
}
export const order: PlaceOrderAnswer = { id: "1", tags: [], parents: [null, { id: "2", tags: ["a"], size: null }] };
export const things: FindAnswer = [{ __typename: "Film", name: "f", sequels: [{ __typename: "Book", name: "b" }] }];
export const named: NamedAnswer = null;
export const least: Omit<PlaceOrderArguments2, "order" | "note" | "kinds"> = { big: 1 };
// @ts-expect-error the member is not nullable
export const noTags: PlaceOrderAnswer = { id: "1" };
// @ts-expect-error a union value needs __typename
export const withoutTypename: FindAnswer = [{ name: "f" }];
// @ts-expect-error not a value of the enum
export const size: PlaceOrderAnswer = { id: "1", tags: [], size: "XL" };
// @ts-expect-error not a member of the type
export const more: PlaceOrderAnswer = { id: "1", tags: [], extra: 1 };
`;
  await writeFile(join(folder, 'using.ts'), using);
  expect(await compile([join(folder, 'using.ts')])).toBe('');
  expect(text).toContain('@deprecated use sku');
  expect(text).toContain('request_transform');
});

test('writes only the types that one action needs, and suggests the nearest name for an unknown action', () => {
  const text = inOneModule(generate(metadata, { framework: 'node', action: ['getProfile'] }, 'X-Service-'));
  expect(text).toContain('interface Profile ');
  expect(text).not.toMatch(/Book|OrderInput|placeOrder/);
  expect(() => generate(metadata, { framework: 'node', action: ['getProfil'] }, '')).toThrow(
    'did you mean "getProfile"?',
  );
});

test('preserves edited files, and rewrites the types', async () => {
  const dir = join(folder, 'metadata');
  const double = { name: 'double', definition: { handler: 'http://127.0.0.1/double' } };
  await writeDirectory(dir, 'type Query { double(n: Int!): Int! }', { actions: [double] });
  const out = join(folder, 'out');
  expect(await codegen(flags({ dir, out }), {})).toBe(0);
  expect((await written()).map((path) => path.slice(out.length + 1))).toEqual([
    'double.ts',
    'refused.ts',
    'server.ts',
    'types.ts',
  ]);
  await writeFile(join(out, 'double.ts'), 'mine');
  await writeFile(join(out, 'types.ts'), 'stale');
  expect(await codegen(flags({ dir, out }), {})).toBe(0);
  expect(await readFile(join(out, 'double.ts'), 'utf8')).toBe('mine');
  expect(await readFile(join(out, 'types.ts'), 'utf8')).toContain('DoubleCall');
});

test('the skeleton server responds to a service with the result or the error of a handler', async () => {
  const port = await freePort();
  await using service = await runningServiceWith(`http://127.0.0.1:${port}/`);
  const out = join(folder, 'out');
  const endpoint = service.url;
  expect(await codegen(flags({ endpoint, out }), {})).toBe(0);
  await writeFile(
    join(out, 'double.ts'),
    `import { Refused } from "./refused.js";
import type { DoubleAnswer, DoubleCall } from "./types.js";

export async function double({ input }: DoubleCall): Promise<DoubleAnswer> {
  if (input.n > 100) throw new Refused("too much", { code: "too-much" });
  return input.n * 2;
}
`,
  );
  expect(await compile(await written())).toBe('');
  server = spawn(process.execPath, [join(out, 'server.js')], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  await listening(port);
  expect(await service.graphql('{ double(n: 4) }')).toEqual({ data: { double: 8 } });
  expect(await service.graphql('{ double(n: 400) }')).toMatchObject({
    errors: [{ message: 'too much', extensions: { code: 'too-much' } }],
  });
  expect(await service.graphql('{ half(n: 1) }')).toMatchObject({ errors: [{ message: 'half is not written yet' }] });
  const stray = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
  expect([stray.status, await stray.json()]).toEqual([400, { message: 'the body must be JSON' }]);
});

async function runningServiceWith(handler: string) {
  const service = await startService();
  for (const name of ['double', 'half']) {
    const definition = { type: 'query', handler, arguments: [{ name: 'n', type: 'Int!' }], output_type: 'Int!' };
    await service.command('create_action', { name, definition });
  }
  return { ...service, [Symbol.asyncDispose]: () => service.stop() };
}

async function listening(port: number): Promise<void> {
  await until(`there is a server at port ${port}`, () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
}
