/** Calls of generator functions whose result is dropped. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { droppedGenerators } from './dropped-generators.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('no source drops the result of a generator function', () => {
  const files = readdirSync(path.join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `server/src/${file.split(path.sep).join('/')}`);
  expect(files.length).toBeGreaterThan(100);
  expect(droppedGenerators(new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])))).toEqual(
    [],
  );
});

const stage = 'export function* stage(draft: Draft): Steps<void> {\n  yield;\n}\n';

/** Returns the positions of dropped calls in a file that imports `stage`. */
function linesOf(code: string): string[] {
  const text = `import { stage } from './stage.ts';\n${code}\n`;
  const found = droppedGenerators(
    new Map([
      ['server/src/a/stage.ts', stage],
      ['server/src/a/caller.ts', text],
    ]),
  );
  return found.map((message) => message.slice(0, message.indexOf(': ')));
}

describe('a dropped call is reported', () => {
  test.each([
    ['as a statement', 'function f() {\n  stage(draft);\n}'],
    ['in a condition', 'function f() {\n  draft.on ? stage(draft) : undefined;\n}'],
    ['after a logical operator', 'function f() {\n  draft.on && stage(draft);\n}'],
    ['behind void', 'function f() {\n  void stage(draft);\n}'],
    ['behind await', 'async function f() {\n  await stage(draft);\n}'],
    ['as the callback of forEach', 'const f = () =>\n  drafts.forEach((draft) => stage(draft));'],
  ])('%s', (_position, code) => {
    expect(linesOf(code)).toEqual(['server/src/a/caller.ts:3']);
  });

  test('of a renamed import', () => {
    const caller = "import { stage as run } from './stage.ts';\nrun(draft);\n";
    const tree = new Map([
      ['server/src/a/stage.ts', stage],
      ['server/src/a/caller.ts', caller],
    ]);
    expect(droppedGenerators(tree)).toEqual([
      'server/src/a/caller.ts:2: the result of the generator function run is dropped; call it with yield*',
    ]);
  });

  test('of a local function and of a method', () => {
    expect(linesOf('function* own(): Steps<void> {}\nown();')).toEqual(['server/src/a/caller.ts:3']);
    expect(linesOf('class A {\n  *walk(): Steps<void> {}\n  run() {\n    this.walk();\n  }\n}')).toEqual([
      'server/src/a/caller.ts:5',
    ]);
  });
});

describe('a used result is accepted', () => {
  test.each([
    ['delegated', 'function* f() {\n  yield* stage(draft);\n}'],
    ['passed on', 'runAtOnce(stage(draft));'],
    ['returned', 'const f = (draft: Draft) => stage(draft);'],
    ['iterated', 'for (const step of stage(draft)) void step;'],
    ['a function of another module with the same name', 'import { own } from "./other.ts";\nown();'],
  ])('%s', (_use, code) => {
    expect(linesOf(code)).toEqual([]);
  });
});
