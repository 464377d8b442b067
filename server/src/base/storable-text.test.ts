import { describe, expect, it } from 'vitest';
import { storableBytes, storableJson, storableText } from './storable-text.ts';

describe('storableText', () => {
  it.each([
    ['plain é😀 \\ text', 'plain é😀 \\ text'],
    ['a\0b', 'a\\x00b'],
    ['a\ud800b\udfffc', 'a\\ud800b\\udfffc'],
    ['\ude00\ud83d\ude00\ud83d', '\\ude00😀\\ud83d'],
  ])('of %o is %o', (text, expected) => {
    expect(storableText(text)).toBe(expected);
  });
});

describe('storableJson', () => {
  it('escapes NUL and halves of surrogate pairs in strings and names, and nothing else', () => {
    const value = { 'a\0': ['\ud800', 'C:\\u0000', '\\\0', '😀\n', 1.5, null, { b: '\udc00x' }] };
    expect(JSON.parse(storableJson(value))).toEqual({
      'a\\x00': ['\\ud800', 'C:\\u0000', '\\\\x00', '😀\n', 1.5, null, { b: '\\udc00x' }],
    });
  });
});

describe('storableBytes', () => {
  it('returns UTF-8 without NUL unchanged', () => {
    expect(storableBytes(Buffer.from('é\\x00😀'))).toEqual({ text: 'é\\x00😀', escaped: false });
  });

  it.each([
    [[0x61, 0x00, 0x62], 'a\\x00b'],
    [[0xff, 0x5c, 0xc3, 0xa9, 0xc3], '\\xff\\\\é\\xc3'],
    [[0xed, 0xa0, 0x80, 0x0a], '\\xed\\xa0\\x80\n'],
    [[0x1f, 0x8b, 0x08, 0xc0, 0x80], '\u001f\\x8b\b\\xc0\\x80'],
  ])('escapes NUL, backslashes and invalid UTF-8 of %o', (bytes, text) => {
    expect(storableBytes(Buffer.from(bytes))).toEqual({ text, escaped: true });
  });

  it('omits the incomplete character at the end of truncated bytes', () => {
    const bytes = Buffer.from('ab😀');
    for (const length of [3, 4, 5]) {
      expect(storableBytes(bytes.subarray(0, length), true)).toEqual({ text: 'ab', escaped: false });
    }
    expect(storableBytes(bytes, true)).toEqual({ text: 'ab😀', escaped: false });
  });

  it('can be reversed', () => {
    const bytes = Buffer.from(Array.from({ length: 1_024 }, (_unused, index) => (index * 7919) % 256));
    const { text } = storableBytes(bytes);
    const back = text.replace(/\\(?:x([0-9a-f]{2})|\\)|[^\\]+/g, (part, code?: string) =>
      code !== undefined
        ? String.fromCharCode(Number.parseInt(code, 16))
        : Buffer.from(part === '\\\\' ? '\\' : part).toString('latin1'),
    );
    expect(Buffer.from(back, 'latin1').equals(bytes)).toBe(true);
  });
});
