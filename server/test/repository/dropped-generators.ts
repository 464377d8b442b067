/** Finds calls of generator functions whose result is dropped. Such a call runs none of the generator's code. */
import path from 'node:path/posix';
import { parseAst } from 'vitest/node';

/** Repository-relative path to the text of the file. */
export type SourceTree = ReadonlyMap<string, string>;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

interface Module {
  readonly program: Node;
  /** Names of generator functions and methods declared in the module. */
  readonly generators: ReadonlySet<string>;
}

/** Returns one message for each dropped call, with path and line. */
export function droppedGenerators(tree: SourceTree): string[] {
  const modules = new Map([...tree].map(([file, text]) => [file, moduleOf(text)] as const));
  return [...modules].flatMap(([file, { program, generators }]) => {
    const known = new Set([...generators, ...importedGenerators(file, program, modules)]);
    return droppedCalls(program, known).map(({ name, start }) => {
      const line = (tree.get(file) ?? '').slice(0, start).split('\n').length;
      return `${file}:${line}: the result of the generator function ${name} is dropped; call it with yield*`;
    });
  });
}

function moduleOf(text: string): Module {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const generators = new Set<string>();
  visit(program, [], (node, [parent]) => {
    if (!isFunction(node) || node.generator !== true) return;
    const name = nameOf(node.id) ?? nameOf(parent?.key) ?? nameOf(parent?.id);
    if (name !== undefined) generators.add(name);
  });
  return { program, generators };
}

function importedGenerators(file: string, program: Node, modules: ReadonlyMap<string, Module>): string[] {
  const statements = children(program).filter(({ type }) => type === 'ImportDeclaration');
  return statements.flatMap((statement) => {
    const specifier = String((statement.source as Node).value);
    const target = modules.get(path.join(path.dirname(file), specifier));
    if (!specifier.startsWith('.') || target === undefined) return [];
    return children(statement).flatMap((one) => {
      const imported = nameOf(one.imported);
      return imported !== undefined && target.generators.has(imported) ? [nameOf(one.local) ?? imported] : [];
    });
  });
}

function droppedCalls(program: Node, generators: ReadonlySet<string>) {
  const found: { readonly name: string; readonly start: number }[] = [];
  visit(program, [], (node, parents) => {
    if (node.type !== 'CallExpression') return;
    const callee = node.callee as Node;
    const name = nameOf(callee) ?? nameOf(callee.property);
    if (name !== undefined && generators.has(name) && isDropped(node, parents)) found.push({ name, start: node.start });
  });
  return found;
}

/** Expressions whose value is the value of one of their operands. */
const transparent: ReadonlySet<string> = new Set([
  'AwaitExpression',
  'ChainExpression',
  'ConditionalExpression',
  'LogicalExpression',
  'ParenthesizedExpression',
  'SequenceExpression',
  'TSAsExpression',
  'TSNonNullExpression',
]);

/** `parents` are ordered from the innermost. */
function isDropped(node: Node, parents: readonly Node[]): boolean {
  const [parent, ...outer] = parents;
  if (parent === undefined) return false;
  if (parent.type === 'ExpressionStatement') return true;
  if (parent.type === 'UnaryExpression') return parent.operator === 'void';
  if (parent.type === 'ArrowFunctionExpression') return parent.body === node && isForEach(outer[0], parent);
  return transparent.has(parent.type) && isDropped(parent, outer);
}

/** Whether `call` passes the function to `forEach`, which ignores its result. */
function isForEach(call: Node | undefined, passed: Node): boolean {
  if (call?.type !== 'CallExpression' || !(call.arguments as readonly Node[]).includes(passed)) return false;
  return nameOf((call.callee as Node).property) === 'forEach';
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression';
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
    ? String(node.name)
    : undefined;
}

function visit(node: Node, parents: readonly Node[], enter: (node: Node, parents: readonly Node[]) => void): void {
  enter(node, parents);
  for (const child of children(node)) visit(child, [node, ...parents], enter);
}

function children(node: Node): Node[] {
  return Object.values(node).flatMap((member) =>
    Array.isArray(member) ? member.filter(isNode) : isNode(member) ? [member] : [],
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
