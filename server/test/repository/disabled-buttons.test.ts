/** A button of the console that is disabled gives the reason: it is a `ReasonButton`, or one of the exceptions below. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../console/src/', import.meta.url));

const paging = 'a button of pages, beside the number of the page';

/** Files with disabled buttons that give no reason, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'features/events/activity/list-footer.tsx': paging,
  'features/explore/builder/row-view.tsx': 'the panel shows the error of the operation above its rows',
  'ui/table/pager.tsx': paging,
};

/** Returns the opening tags of buttons that have the attribute `disabled`. */
function disabledButtons(source: string): readonly string[] {
  return [...source.matchAll(/<(Button|ActionIcon|UnstyledButton|CancelButton|FormActions|button)(?=[\s>])/g)]
    .map(({ index }) => openingTag(source.slice(index)))
    .filter((tag) => /\sdisabled(?=[=\s/>])/.test(withoutExpressions(tag)));
}

/** Returns the tag up to its end, which is not in an expression. */
function openingTag(source: string): string {
  let depth = 0;
  for (const [place, character] of [...source].entries()) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === '>' && depth === 0) return source.slice(0, place + 1);
  }
  return source;
}

/** Attributes of elements in an expression are not those of the tag. */
function withoutExpressions(tag: string): string {
  let depth = 0;
  let outside = '';
  for (const character of tag) {
    if (character === '{') depth += 1;
    if (depth === 0) outside += character;
    if (character === '}') depth -= 1;
  }
  return outside;
}

const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx'))
  .filter((path) => disabledButtons(readFileSync(`${folder}${path}`, 'utf8')).length > 0)
  .toSorted();

test('each disabled button of the console gives its reason', () => {
  expect(found.filter((path) => exceptions[path] === undefined)).toEqual([]);
});

test('each exception is of a file with such a button', () => {
  expect(Object.keys(exceptions).filter((path) => !found.includes(path))).toEqual([]);
});

describe('a disabled button is found', () => {
  test.each([
    ['with an expression', '<Button size="xs" disabled={!isReady} onClick={() => run()}>'],
    ['without a value', '<Button type="submit" disabled>'],
    ['after an arrow function', '<ActionIcon onClick={() => a > b && run()} disabled={isLast}>'],
    ['of a form', '<FormActions submit="Save" disabled={!form.isValid()} onBack={close} />'],
  ])('%s', (_what, source) => {
    expect(disabledButtons(source)).toHaveLength(1);
  });
});

test('a disabled element in an attribute of a button is not the button', () => {
  expect(disabledButtons('<Button leftSection={<input disabled />} aria-disabled={true}>')).toEqual([]);
});
