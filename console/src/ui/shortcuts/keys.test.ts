import { describe, expect, test } from 'vitest';
import { appliesInFields, isPressed, type Pressed, printedKeys } from './keys.ts';

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('a shortcut is pressed', () => {
  test('with Ctrl for Mod, and with Command on a Mac', () => {
    expect(isPressed('Mod+K', press('k', { ctrlKey: true }), false)).toBe(true);
    expect(isPressed('Mod+K', press('k', { metaKey: true }), true)).toBe(true);
    expect(isPressed('Mod+K', press('k', { metaKey: true }), false)).toBe(false);
  });

  test('without other modifiers', () => {
    expect(isPressed('g', press('g', { ctrlKey: true }), false)).toBe(false);
    expect(isPressed('Mod+Enter', press('Enter', { ctrlKey: true, shiftKey: true }), false)).toBe(false);
  });

  test('by its character, whatever modifier types it', () => {
    expect(isPressed('?', press('?', { shiftKey: true }), false)).toBe(true);
    expect(isPressed('/', press('/', { shiftKey: true }), false)).toBe(true);
  });

  test('not by another letter case', () => {
    expect(isPressed('g', press('G', { shiftKey: true }), false)).toBe(false);
  });
});

test('only shortcuts with Mod apply while text is typed', () => {
  expect([appliesInFields('Mod+K'), appliesInFields('?'), appliesInFields('g t')]).toEqual([true, false, false]);
});

test('keys are printed as on the keyboard of the system', () => {
  expect(printedKeys('Mod+K', false)).toEqual([['Ctrl', 'K']]);
  expect(printedKeys('Mod+K', true)).toEqual([['⌘', 'K']]);
  expect(printedKeys('g t', false)).toEqual([['g'], ['t']]);
  expect(printedKeys('Shift+ArrowDown', false)).toEqual([['Shift', '↓']]);
});
